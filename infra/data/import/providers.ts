import { isDeepStrictEqual } from 'node:util'
import { forEachConcurrently } from '../../../lib/concurrency.ts'
import { type Item, providerItem } from '../../../lib/store/items.ts'
import { memberIdOf, members, userIdOf } from '../../../lib/store/keys.ts'
import { findProvider } from '../../../lib/store/providers.ts'
import { isRetention } from '../ages.ts'
import { correctCount } from '../member-count.ts'
import type { Data } from '../open-data.ts'
import { scanTable } from '../scan.ts'
import { kindOf } from '../table-item.ts'
import type { ProviderEntry } from './checked-record.ts'
import { type Outcome, refused, there, written } from './report.ts'
import type { Terms } from './terms.ts'
import { putMemberships } from './users.ts'

const queriesAtOnce = 8

/** The ids of providers, none of them in the table, of which a removal has left memberships. */
export async function idsWithTraces(
  data: Data,
  providers: readonly ProviderEntry[],
  signal: AbortSignal,
): Promise<Set<number>> {
  const traces = new Set<number>()
  await forEachConcurrently(providers, queriesAtOnce, async ({ provider: { id } }) => {
    const expiries = await expiriesOf(data, id, signal)
    if (expiries.some(expiresAt => isRetention(expiresAt, data.clock.nowMs()))) traces.add(id)
  })
  return traces
}

/** `expires_at` or null of each membership: no more is held in memory, because a provider can have millions. */
const expiriesOf = (data: Data, providerId: number, signal: AbortSignal): Promise<unknown[]> =>
  data.table.query(
    members(providerId),
    item => (memberIdOf(item) === undefined ? undefined : (item.expires_at ?? null)),
    signal,
  )

/**
 * Adds memberships for users in the table whose links name a new provider.
 *
 * @param isDone whether the import has done so for the user
 * @param advance called with the items read
 */
export async function adoptUsers(
  terms: Terms,
  isDone: (userId: string) => boolean,
  advance: (items: number) => void,
): Promise<void> {
  const adopt = async (items: Item[]) => {
    advance(items.length)
    const users = items.filter(item => kindOf(item).kind === 'user' && !isDone(userIdOf(item)))
    await putMemberships(terms, users)
  }
  await scanTable(terms.data, adopt, terms.signal, ['PK', 'SK', 'saml_provider_id', 'sso_provider_id'])
}

/**
 * Creates the provider with the number of its memberships; from here on it can be used. When another import has created it
 * meanwhile, without the memberships of this one, its count is corrected.
 */
export async function makeProvider({ data, signal }: Terms, { provider }: ProviderEntry): Promise<Outcome> {
  const { id } = provider
  const { length } = await expiriesOf(data, id, signal)
  const put = { Item: providerItem(provider, length), ConditionExpression: 'attribute_not_exists(PK)' }
  if (await data.transact([{ Put: put }], signal)) return written
  const isCounted = await correctCount(data, id, signal)
  const found = await findProvider(data.table, id, signal)
  if (isCounted && isDeepStrictEqual(found?.resource, provider)) return there
  return refused(
    `another writer has created the provider ${id} with other values, or is changing it: run verify --repair, which corrects its memberships and count`,
  )
}
