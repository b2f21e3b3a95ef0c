import { NumberValue } from '@aws-sdk/lib-dynamodb'
import { isoTime } from '../domain/iso-time.ts'
import { canHaveBegun, type Removal } from '../domain/provider.ts'

type Values = Record<string, unknown>

interface Attribute {
  name: string
  /** The required type, by DynamoDB's name. */
  type: 'S' | 'N'
  isReadable: (stored: unknown, nowMs: number) => boolean
}

const attributes: Attribute[] = [
  { name: 'removal_id', type: 'S', isReadable: stored => typeof stored === 'string' },
  {
    name: 'removal_started_at',
    type: 'S',
    isReadable: (stored, nowMs) =>
      isoTime(stored) !== undefined && canHaveBegun(Date.parse(String(stored)), nowMs),
  },
  {
    name: 'retained_until',
    type: 'N',
    isReadable: stored => Number.isSafeInteger(stored) && Number(stored) > 0,
  },
]

const unreadable = (item: Values, nowMs: number) =>
  attributes.filter(({ name, isReadable }) => !isReadable(item[name], nowMs))

export const removalItem = ({ id, startedAtMs, retainedUntil }: Removal): Values => ({
  removal_id: id,
  removal_started_at: new Date(startedAtMs).toISOString(),
  retained_until: retainedUntil,
})

/** The removal in its provider's item, begun at any time. @returns undefined when an attribute is absent or malformed */
export function removalOf(item: Values): Removal | undefined {
  if (unreadable(item, Number.POSITIVE_INFINITY).length > 0) return undefined
  return {
    id: String(item.removal_id),
    startedAtMs: Date.parse(String(item.removal_started_at)),
    retainedUntil: Number(item.retained_until),
  }
}

/** Attributes to set and to remove, and conditions on the stored ones. */
export interface Assignment {
  attributes: Values
  removed?: string[]
  conditions?: string[]
  /** The values of the conditions. */
  values?: Values
}

/**
 * Replaces the malformed attributes of a removal on the condition that they are as they were read. Of a value of a wrong type
 * only the type is compared: a map may not be written as it was read.
 *
 * @param item the item as it was read
 * @param removal the values to use instead, begun now
 */
export function replacement(item: Values, removal: Removal): Assignment {
  const sound = removalItem(removal)
  const replaced = { attributes: {} as Values, conditions: [] as string[], values: {} as Values }
  for (const { name, type } of unreadable(item, removal.startedAtMs)) {
    const isTyped = typeOf(item[name]) === type
    const value = `:read_${name}`
    replaced.attributes[name] = sound[name]
    replaced.conditions.push(isTyped ? `${name} = ${value}` : `NOT attribute_type(${name}, ${value})`)
    replaced.values[value] = isTyped ? item[name] : type
  }
  return replaced
}

/** @returns undefined for every type that no attribute of a removal has */
function typeOf(stored: unknown): Attribute['type'] | undefined {
  if (typeof stored === 'string') return 'S'
  return typeof stored === 'number' || stored instanceof NumberValue ? 'N' : undefined
}
