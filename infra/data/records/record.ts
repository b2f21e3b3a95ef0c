import { marshall } from '@aws-sdk/util-dynamodb'
import { isJsonObject } from '../../../lib/domain/json.ts'
import { parseProviderId } from '../../../lib/domain/provider.ts'
import { type SamlProvider, samlProviderShape, type User, userShape } from '../../../lib/domain/resources.ts'
import { type Item, providerItem, userItem } from '../../../lib/store/items.ts'
import { isUserId } from '../../../lib/domain/user-id.ts'
import { itemBytes, itemBytesMax } from '../../dynamodb/item-size.ts'
import { type Notes, readShape, shown } from './read.ts'

export type DataRecord = { kind: 'provider'; resource: SamlProvider } | { kind: 'user'; resource: User }

/**
 * Reads a record as a provider or a user, depending on its fields.
 *
 * @param bytes the size of the record's text
 * @returns undefined when it has faults, which are in the notes
 */
export function readRecord(given: unknown, bytes: number, notes: Notes): DataRecord | undefined {
  if (!isJsonObject(given)) {
    notes.faults.push(`a record must be an object, and is ${shown(given)}`)
    return undefined
  }
  const names = Object.keys(given)
  const isProvider = names.some(isOnlyProviders)
  if (isProvider === names.some(isOnlyUsers)) {
    notes.faults.push('the record has the fields of neither a provider nor a user')
    return undefined
  }
  const resource = readShape(isProvider ? samlProviderShape : userShape, given as Item, notes)
  if (notes.faults.length > 0) return undefined
  const record = { kind: isProvider ? 'provider' : 'user', resource } as unknown as DataRecord
  // A record of fewer bytes never makes a larger item.
  const fault = faultOfId(record) ?? (bytes > itemBytesMax ? faultOfSize(record) : undefined)
  if (fault !== undefined) notes.faults.push(fault)
  return fault === undefined ? record : undefined
}

const onlyIn = (shape: object, other: object) => (name: string) =>
  Object.hasOwn(shape, name) && !Object.hasOwn(other, name)
const isOnlyProviders = onlyIn(
  Object.fromEntries(Object.entries(samlProviderShape).filter(([name]) => name !== 'sso_provider_id')),
  userShape,
)
const isOnlyUsers = onlyIn(userShape, samlProviderShape)

/** The rules of the table's keys. */
function faultOfId({ kind, resource }: DataRecord): string | undefined {
  if (kind === 'provider')
    return parseProviderId(String(resource.id)) === undefined
      ? `id must be a whole number from 1 to 2147483647, and is ${resource.id}`
      : undefined
  return isUserId(resource.id) ? undefined : `id must be a UUID in lower case, and is ${shown(resource.id)}`
}

function faultOfSize({ kind, resource }: DataRecord): string | undefined {
  const bytes = itemBytes(marshall(kind === 'user' ? userItem(resource) : providerItem(resource, 0)))
  return bytes > itemBytesMax
    ? `it has ${Math.ceil(bytes / 1024)} KB, and an item has at most 400`
    : undefined
}
