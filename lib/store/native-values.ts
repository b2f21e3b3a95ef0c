import type { AttributeValue } from '@aws-sdk/client-dynamodb'
import { NumberValue } from '@aws-sdk/lib-dynamodb'
import { fromBase64 } from '@smithy/core/serde'
import type { Key } from './keys.ts'

/** A number that JavaScript would round stays as it is stored. */
export function exactNumber(stored: string): number | NumberValue {
  const number = Number(stored)
  const isExact = String(number) === stored && Math.abs(number) <= Number.MAX_SAFE_INTEGER
  return isExact ? number : NumberValue.from(stored)
}

/**
 * The native values of an item, the same as the document client's.
 *
 * @param stored as DynamoDB replied it, with bytes in base64
 * @throws Error for a value that is not DynamoDB's
 */
export function nativeItem(stored: Readonly<Record<string, AttributeValue>>): Record<string, unknown> {
  const item: Record<string, unknown> = {}
  for (const name in stored) item[name] = native(stored[name] as AttributeValue)
  return item
}

function native(value: AttributeValue): unknown {
  if (value.S !== undefined) return value.S
  if (value.N !== undefined) return exactNumber(value.N)
  if (value.BOOL !== undefined) return value.BOOL
  if (value.L !== undefined) return value.L.map(native)
  if (value.M !== undefined) return nativeItem(value.M)
  if (value.NULL !== undefined) return null
  if (value.SS !== undefined) return new Set(value.SS)
  if (value.NS !== undefined) return new Set(value.NS.map(exactNumber))
  if (value.B !== undefined) return fromBase64(String(value.B))
  if (value.BS !== undefined) return new Set(value.BS.map(text => fromBase64(String(text))))
  throw new Error('a value has an unknown type')
}

/** A key as attribute values. */
export const plainKey = ({ PK, SK }: Key) => ({ PK: { S: PK }, SK: { S: SK } })
