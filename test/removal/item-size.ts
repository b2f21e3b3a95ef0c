import type { AttributeValue } from '@aws-sdk/client-dynamodb'

export type Attributes = Record<string, AttributeValue>

/** The size of an item in bytes. @see "DynamoDB item sizes and formats" in the DynamoDB Developer Guide */
export const itemBytes = (item: Attributes): number =>
  Object.entries(item).reduce((sum, [name, value]) => sum + Buffer.byteLength(name) + valueBytes(value), 0)

function valueBytes(value: AttributeValue): number {
  if (value.S !== undefined) return Buffer.byteLength(value.S)
  if (value.N !== undefined) return Math.ceil(value.N.length / 2) + 1
  if (value.L !== undefined) return value.L.reduce((sum, member) => sum + 1 + valueBytes(member), 3)
  if (value.M !== undefined) return 3 + Object.keys(value.M).length + itemBytes(value.M)
  return 1
}

/** The units of an item that is written. */
export const writeUnits = (bytes: number) => Math.max(1, Math.ceil(bytes / 1024))

/** The units of a strongly consistent read. */
export const readUnits = (bytes: number) => Math.max(1, Math.ceil(bytes / 4096))
