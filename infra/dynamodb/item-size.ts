import type { AttributeValue } from '@aws-sdk/client-dynamodb'

/** DynamoDB's limit for an item. */
export const itemBytesMax = 400 * 1024

/** The maximum number of bytes that a removal adds to a provider, most of them for the subject of its token. */
export const tombstoneBytesMax = 1000

/** The size of an item in bytes. @see "DynamoDB item sizes and formats" in the DynamoDB Developer Guide */
export const itemBytes = (item: Record<string, AttributeValue>): number =>
  Object.entries(item).reduce((sum, [name, value]) => sum + Buffer.byteLength(name) + valueBytes(value), 0)

function valueBytes({ S, N, B, SS, NS, BS, L, M }: AttributeValue): number {
  if (S !== undefined) return Buffer.byteLength(S)
  if (N !== undefined) return numberBytes(N)
  if (B !== undefined) return B.length
  const ofSet =
    SS?.map(text => Buffer.byteLength(text)) ?? NS?.map(numberBytes) ?? BS?.map(bytes => bytes.length)
  if (ofSet !== undefined) return ofSet.reduce((sum, bytes) => sum + bytes)
  if (L !== undefined) return L.reduce((sum, member) => sum + 1 + valueBytes(member), 3)
  if (M !== undefined) return 3 + Object.keys(M).length + itemBytes(M)
  return 1
}

const numberBytes = (stored: string) => Math.ceil(stored.length / 2) + 1
