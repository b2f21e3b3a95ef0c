import { isDeepStrictEqual } from 'node:util'
import { forEachConcurrently } from '../../../lib/concurrency.ts'
import type { SamlProvider } from '../../../lib/domain/resources.ts'
import { type Item, providerItem } from '../../../lib/store/items.ts'
import { memberIdOf, members } from '../../../lib/store/keys.ts'
import { findProvider } from '../../../lib/store/providers.ts'
import { correctCount } from '../member-count.ts'
import type { Data } from '../open-data.ts'
import { scanTable } from '../scan.ts'
import { kindOf } from '../table-item.ts'
import { isRetention } from '../ages.ts'
import type { Outcome } from './report.ts'
import { putMemberships, type Terms } from './users.ts'

const queriesAtOnce = 8

/** The ids of providers, none of them in the table, of which a removal has left memberships. */
export async function idsWithTraces(
  data: Data,
  providers: readonly { provider: SamlProvider }[],
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

/** Adds memberships for users in the table whose links name a new provider. */
export async function adoptUsers(terms: Terms): Promise<void> {
  const adopt = async (items: Item[]) => {
    await putMemberships(
      terms,
      items.filter(item => kindOf(item).kind === 'user'),
    )
  }
  await scanTable(terms.data, adopt, terms.signal, ['PK', 'SK', 'saml_provider_id', 'sso_provider_id'])
}

/**
 * Creates the provider with the number of its memberships; from here on it can be used. When another import has created it
 * meanwhile, without the memberships of this one, its count is corrected.
 */
export async function makeProvider({ data, signal }: Terms, provider: SamlProvider): Promise<Outcome> {
  const { id } = provider
  const { length } = await expiriesOf(data, id, signal)
  const put = { Item: providerItem(provider, length), ConditionExpression: 'attribute_not_exists(PK)' }
  if (await data.transact([{ Put: put }], signal)) return 'written'
  const isCounted = await correctCount(data, id, signal)
  const found = await findProvider(data.table, id, signal)
  if (isCounted && isDeepStrictEqual(found?.resource, provider)) return 'there'
  return {
    fault: `another writer has created the provider ${id} with other values, or is changing it: run verify --repair, which corrects its memberships and count`,
  }
}
