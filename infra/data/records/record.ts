import { marshall } from '@aws-sdk/util-dynamodb'
import { isJsonObject } from '../../../lib/domain/json.ts'
import { parseProviderId } from '../../../lib/domain/provider.ts'
import { type SamlProvider, samlProviderShape, type User, userShape } from '../../../lib/domain/resources.ts'
import { providerItem, userItem } from '../table/items.ts'
import type { Item } from '../../../lib/store/items.ts'
import { isUserId } from '../../../lib/domain/user-id.ts'
import { itemBytes, itemBytesMax, tombstoneBytesMax } from '../../dynamodb/item-size.ts'
import { kindInWords, type Notes, readShape } from './read.ts'

export type DataRecord = { kind: 'provider'; resource: SamlProvider } | { kind: 'user'; resource: User }

/**
 * Reads a record as a provider or a user, depending on its fields.
 *
 * @param size the maximum number of characters of the record's text
 * @returns undefined when it has faults, which are in the notes
 */
export function readRecord(given: unknown, size: number, notes: Notes): DataRecord | undefined {
  if (!isJsonObject(given)) {
    notes.faults.push(
      `a record must be an object, and is ${kindInWords(given)}: write one record a line, as jq -c '.data.users[]' does`,
    )
    return undefined
  }
  const isProvider = isLikeProvider(given)
  if (isProvider === Object.keys(given).some(isOnlyUsers)) {
    notes.faults.push('the record has the fields of neither a provider nor a user')
    return undefined
  }
  const resource = readShape(isProvider ? samlProviderShape : userShape, given as Item, notes)
  if (notes.faults.length > 0) return undefined
  const record = { kind: isProvider ? 'provider' : 'user', resource } as unknown as DataRecord
  if (record.kind === 'user') lowerIds(record.resource)
  const fault = faultOf(record) ?? (size > sizeMin ? faultOfSize(record) : undefined)
  if (fault === undefined) return record
  notes.faults.push(fault)
  return undefined
}

/** Whether an object has a field that no user has. */
export const isLikeProvider = (given: object): boolean => Object.keys(given).some(isOnlyProviders)

const onlyIn = (shape: object, other: object) => (name: string) =>
  Object.hasOwn(shape, name) && !Object.hasOwn(other, name)
const isOnlyProviders = onlyIn(
  Object.fromEntries(Object.entries(samlProviderShape).filter(([name]) => name !== 'sso_provider_id')),
  userShape,
)
const isOnlyUsers = onlyIn(userShape, samlProviderShape)

function lowerIds(user: User): void {
  const id = user.id.toLowerCase()
  if (id === user.id || !isUserId(id)) return
  for (const access of user.environment_targeted_access_control)
    if (access.user_id === user.id) access.user_id = id
  user.id = id
}

/** The rules of the table's keys; and the service would list a provider that was deleted. */
function faultOf({ kind, resource }: DataRecord): string | undefined {
  if (kind === 'user')
    return isUserId(resource.id) ? undefined : `id must be a UUID, and is ${kindInWords(resource.id)}`
  if (parseProviderId(String(resource.id)) === undefined)
    return `id must be a whole number from 1 to 2147483647, and is ${resource.id}`
  return resource.deleted_at.valid
    ? 'deleted_at is set: a deleted provider is not imported, nor is a user with a link to it'
    : undefined
}

/** A record of fewer characters, each of at most 3 bytes, never makes an item that is too large. */
const sizeMin = itemBytesMax / 4

function faultOfSize({ kind, resource }: DataRecord): string | undefined {
  const isUser = kind === 'user'
  const item = isUser ? userItem(resource) : providerItem(resource, Number.MAX_SAFE_INTEGER)
  const bytes = itemBytes(marshall(item))
  const bytesMax = itemBytesMax - (isUser ? 0 : tombstoneBytesMax)
  if (bytes <= bytesMax) return undefined
  const reason = isUser ? '' : `, because its removal adds up to ${tombstoneBytesMax}`
  return `its item has ${bytes} bytes, and may have ${bytesMax}${reason}`
}
