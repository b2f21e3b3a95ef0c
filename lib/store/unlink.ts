import { Failure } from '../domain/failure.ts'
import type { SamlProvider } from '../domain/resources.ts'
import type { Item } from './items.ts'
import { type Key, userIdOf, userKey } from './keys.ts'
import type { BatchedUpdate } from './statements.ts'
import type { Table } from './table.ts'

/**
 * A link that is seen may be removed by another writer before each of the first two updates; a user at DynamoDB's limit of
 * 400 KB takes one more.
 */
const attemptsMax = 4

/**
 * Unlinks at most 25 different users from a provider, each with a conditional update for the way the user is linked: by the
 * provider's id, by its `sso_provider_id`, or by both.
 *
 * Most users of a provider are linked in the same way, so the last successful way is tried first. A refused update returns
 * the user, which shows the next way. A user for whose `updated_at` the item has no room is unlinked without it.
 *
 * @throws Failure `table_busy` when the table refuses each attempt for a user whom it shows as linked
 */
export function unlinker(table: Table, provider: SamlProvider) {
  let likeliest = provider.sso_provider_id.valid ? ways.both : ways.saml

  return async (userIds: readonly string[], atMs: number, signal: AbortSignal): Promise<void> => {
    const updatedAt = new Date(atMs).toISOString()
    const read = (these: { key: Key }[]) =>
      table.batchGet(
        these.map(({ key }) => key),
        signal,
      )
    let left: Attempt[] = userIds.map(userId => ({ userId, way: likeliest, updatedAt }))
    for (let attempts = 0; left.length > 0; attempts++) {
      if (attempts === attemptsMax) throw new Failure('table_busy', {}, refusedAlways(left))
      const updates = left.map(attempt => updateOf(provider, attempt))
      const refused = await table.batchUpdate(updates, signal)
      const full = refused.filter(({ isTooLarge }) => isTooLarge).map(({ key }) => userIdOf(key))
      const unseen = refused.filter(({ item, isTooLarge }) => item === undefined && !isTooLarge)
      const seen = [...refused.map(({ item }) => item), ...(await read(unseen))]
      const next = seen.flatMap((item): Attempt[] => {
        const way = item && wayOf(provider, item)
        return item && way ? [{ userId: userIdOf(item), way, updatedAt }] : []
      })
      likeliest = next[0]?.way ?? likeliest
      const shorter = left.filter(({ userId }) => full.includes(userId))
      left = [...next, ...shorter.map(attempt => ({ ...attempt, updatedAt: undefined }))]
    }
  }
}

/** An attempt to unlink a user; without `updatedAt` it makes the item smaller. */
interface Attempt {
  userId: string
  way: Way
  updatedAt: string | undefined
}

const refusedAlways = (left: Attempt[]) =>
  new Error(`${left.length} users are shown as linked and cannot be unlinked`)

/** The links by which a user is linked to the provider. */
interface Way {
  saml: boolean
  sso: boolean
}

const ways = {
  both: { saml: true, sso: true },
  saml: { saml: true, sso: false },
}

/** The way a user is linked. @returns undefined for a user who is not linked to the provider */
function wayOf({ id, sso_provider_id: sso }: SamlProvider, item: Item): Way | undefined {
  const way = { saml: item.saml_provider_id === id, sso: sso.valid && item.sso_provider_id === sso.int32 }
  return way.saml || way.sso ? way : undefined
}

function updateOf(
  { id, sso_provider_id: sso }: SamlProvider,
  { userId, way, updatedAt }: Attempt,
): BatchedUpdate {
  const links = [
    { name: 'saml_provider_id', value: id, isLinked: way.saml },
    ...(sso.valid ? [{ name: 'sso_provider_id', value: sso.int32, isLinked: way.sso }] : []),
  ]
  const linked = links.filter(({ isLinked }) => isLinked)
  return {
    key: userKey(userId),
    change: [
      ...(updatedAt === undefined ? [] : ['SET updated_at = ?']),
      ...linked.map(({ name }) => `REMOVE ${name}`),
    ].join(' '),
    changeValues: updatedAt === undefined ? [] : [updatedAt],
    condition: links
      .map(({ name, isLinked }) => (isLinked ? `${name} = ?` : `(${name} IS MISSING OR ${name} <> ?)`))
      .join(' AND '),
    conditionValues: links.map(({ value }) => value),
  }
}
