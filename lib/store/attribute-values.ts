import type { AttributeValue } from '@aws-sdk/client-dynamodb'

/** An item of the table, or a map in it, with native values. */
export type Item = Record<string, unknown>
/** An item in the form of DynamoDB's API. */
export type Attributes = Record<string, AttributeValue>

/** A stored value without an exact native form: a set, bytes, or a number that would be rounded. It is kept unchanged. */
export class Opaque {
  readonly stored: AttributeValue

  constructor(stored: AttributeValue) {
    this.stored = stored
  }
}

/** Decodes an item to native values. The SDK's own conversion takes five times as long. */
export function itemOf(attributes: Attributes): Item {
  const item: Item = {}
  for (const name in attributes) set(item, name, nativeOf(attributes[name] as AttributeValue))
  return item
}

/** Sets an own property. An assignment to `__proto__` would set the prototype instead. */
function set<V>(map: Record<string, V>, name: string, value: V) {
  if (name !== '__proto__') map[name] = value
  else Object.defineProperty(map, name, { value, writable: true, enumerable: true, configurable: true })
}

function nativeOf(stored: AttributeValue): unknown {
  if (stored.S !== undefined) return stored.S
  if (stored.N !== undefined) return exactNumber(stored.N) ?? new Opaque(stored)
  if (stored.BOOL !== undefined) return stored.BOOL
  if (stored.M !== undefined) return itemOf(stored.M)
  if (stored.L !== undefined) return stored.L.map(nativeOf)
  return stored.NULL === true ? null : new Opaque(stored)
}

function exactNumber(stored: string): number | undefined {
  const number = Number(stored)
  return String(number) === stored && Math.abs(number) <= Number.MAX_SAFE_INTEGER ? number : undefined
}

/** Encodes an item for DynamoDB's API, without undefined members. */
export function attributesOf(item: Readonly<Item>): Attributes {
  const attributes: Attributes = {}
  for (const name in item) if (item[name] !== undefined) set(attributes, name, attributeOf(item[name]))
  return attributes
}

/**
 * Encodes a native value for DynamoDB's API.
 *
 * @throws TypeError for a value that DynamoDB has no type for, or would round
 */
export function attributeOf(value: unknown): AttributeValue {
  if (value instanceof Opaque) return value.stored
  if (value === null) return { NULL: true }
  if (Array.isArray(value)) return { L: value.map(attributeOf) }
  if (typeof value === 'string') return { S: value }
  if (typeof value === 'boolean') return { BOOL: value }
  if (typeof value === 'number' && exactNumber(String(value)) === value) return { N: String(value) }
  if (typeof value === 'object') return { M: attributesOf(value as Item) }
  throw new TypeError(`DynamoDB cannot store the ${typeof value} ${String(value)}`)
}
