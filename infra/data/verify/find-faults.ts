import type { SamlProvider } from '../../../lib/domain/resources.ts'
import { providerRecordOf } from '../../../lib/store/items.ts'
import { allProviders } from '../../../lib/store/providers.ts'
import { delay } from '../../../lib/time.ts'
import type { Data } from '../open-data.ts'
import { inBatches } from '../progress.ts'
import { rivalsBy, ssoIdOf, storedProviders } from '../table/linked-providers.ts'
import { scanTable } from '../table/scan.ts'
import { type ItemKind, kindOf } from '../table/table-item.ts'
import { type Fault, faultsOf, type Rule } from './fault.ts'
import { itemRules } from './item-rules.ts'
import { linkRules, membershipRules } from './membership-rules.ts'
import { type Pair, pairing, pairsPerRead, readPairs } from './pairs.ts'
import { type CountedProvider, providerRules, recounted } from './provider-rules.ts'

export interface Findings {
  /** The number of items of each kind. */
  counts: Record<ItemKind['kind'], number>
  faults: Fault[]
}

/**
 * All rules of the table, as the README lists them.
 *
 * @internal
 */
export const rules: readonly Rule<never>[] = [
  ...itemRules,
  ...providerRules,
  ...linkRules,
  ...membershipRules,
]

/**
 * Finds everything in the table that breaks its rules.
 *
 * A scan is not a snapshot: users and memberships that do not match in it are read again twice, and are a fault only when
 * they never match.
 */
export async function findFaults(data: Data, signal: AbortSignal): Promise<Findings> {
  const counts = { provider: 0, user: 0, membership: 0, foreign: 0 }
  const faults: Fault[] = []
  const seen = pairing(await allProviders(data.table, signal))
  const take = (item: Record<string, unknown>) => {
    const about = kindOf(item)
    counts[about.kind] += 1
    seen.look(item, about)
    faults.push(...faultsOf(itemRules, { item, about }))
  }
  await scanTable(data, items => items.forEach(take), signal)

  const stored = (await storedProviders(data.table, signal)).flatMap(item => {
    const record = providerRecordOf(item)
    return record === undefined ? [] : { item, record, memberships: seen.membershipsOf(record.resource.id) }
  })
  const used = stored.filter(({ record }) => record.state !== 'removed').map(({ record }) => record.resource)
  const rivalOf = rivalsBy(ssoIdOf, used)
  faults.push(...(await providerFaults(data, stored, rivalOf, signal)))
  const shared = new Set(used.filter(provider => rivalOf(provider) !== undefined).map(ssoIdOf))
  faults.push(...(await pairFaults(data, seen.suspects(), shared, signal)))
  return { counts, faults }
}

/** @param rivalOf finds another provider with the same `sso_provider_id` */
async function providerFaults(
  data: Data,
  stored: readonly CountedProvider[],
  rivalOf: (provider: SamlProvider) => number | undefined,
  signal: AbortSignal,
): Promise<Fault[]> {
  const faults: Fault[] = []
  for (const provider of stored) {
    const { resource, state } = provider.record
    const rival = state === 'removed' ? undefined : rivalOf(resource)
    // One fault for two.
    const told = rival !== undefined && rival < resource.id ? rival : undefined
    const counted = await recounted(data, provider, signal)
    faults.push(...faultsOf(providerRules, { ...counted, rival: told, nowMs: data.clock.nowMs() }))
  }
  return faults
}

const settlingMs = 1000

/** The faults of pairs that are there now and a moment later: another writer's transaction may be read in part. */
async function pairFaults(
  data: Data,
  pairs: readonly Pair[],
  sharedSsoIds: ReadonlySet<unknown>,
  signal: AbortSignal,
): Promise<Fault[]> {
  const look = async (some: readonly Pair[]) => {
    const broken: { pair: Pair; faults: Fault[] }[] = []
    await inBatches(data.phase, 'items read again', some, pairsPerRead, async batch => {
      for (const pair of await readPairs(data, batch, sharedSsoIds, signal)) {
        const { user = {}, membership } = pair
        const ofUser = faultsOf(linkRules, { ...pair, item: user })
        const ofMembership = membership ? faultsOf(membershipRules, { ...pair, item: membership }) : []
        const faults = [...ofUser, ...ofMembership]
        if (faults.length > 0) broken.push({ pair, faults })
      }
    })
    return broken
  }
  const first = await look(pairs)
  if (first.length === 0) return []
  await delay(data.clock, settlingMs, signal)
  return (await look(first.map(({ pair }) => pair))).flatMap(({ faults }) => faults)
}
