import { chunk, forEachConcurrently } from '../../../lib/concurrency.ts'
import { userShape } from '../../../lib/domain/resources.ts'
import { allProviders } from '../../../lib/store/providers.ts'
import { delay } from '../../../lib/time.ts'
import type { Data } from '../open-data.ts'
import { scanTable } from '../scan.ts'
import { ssoRivals } from '../linked-providers.ts'
import { kindOf } from '../table-item.ts'
import { type Fault, placeOf } from './fault.ts'
import { type IsShared, membershipFaults, type Pair, pairsPerRead } from './membership-faults.ts'
import { pairing } from './pairing.ts'
import { providerFaults } from './provider-faults.ts'
import { expiryFaults, resourceFaults } from './resource-faults.ts'

export interface Findings {
  counts: { providers: number; users: number; memberships: number }
  /** In the order of their repairs. */
  faults: Fault[]
}

const readsAtOnce = 4
const settlingMs = 1000

/**
 * Finds everything in the table that breaks its rules.
 *
 * A scan is not a snapshot: users and memberships that do not match in it are read again twice, and are a fault only when
 * they never match. Memory holds each item of a pair until the other one is read.
 *
 * @param advance called with the number of items read
 */
export async function findFaults(
  data: Data,
  advance: (items: number) => void,
  signal: AbortSignal,
): Promise<Findings> {
  const counts = { providers: 0, users: 0, memberships: 0 }
  const faults: Fault[] = []
  const providers = await allProviders(data.table, signal)
  const { look, suspects, membershipsOf } = pairing(providers, data.clock.nowMs())
  await scanTable(
    data,
    items => {
      for (const item of items) {
        const about = kindOf(item)
        look(item, about)
        if (about.kind === 'user')
          faults.push(...resourceFaults(userShape, item, about.userId), ...expiryFaults(item))
        if (about.kind === 'foreign')
          faults.push({ place: placeOf(item), problem: 'the service does not write items with such a key' })
        else counts[`${about.kind}s`] += 1
      }
      advance(items.length)
    },
    signal,
  )
  faults.push(...(await providerFaults(data, membershipsOf, signal)))
  const used = providers.filter(({ state }) => state !== 'removed').map(({ resource }) => resource)
  const rivalOf = ssoRivals(used)
  const isShared: IsShared = provider => rivalOf(provider) !== undefined
  faults.push(...(await confirmed(data, suspects(), isShared, signal)))
  const isLast = ({ repair }: Fault) => repair?.isLast === true
  return { counts, faults: [...faults.filter(fault => !isLast(fault)), ...faults.filter(isLast)] }
}

/** Faults that are present now and a moment later: another writer's transaction may be read in part. */
async function confirmed(
  data: Data,
  pairs: readonly Pair[],
  isShared: IsShared,
  signal: AbortSignal,
): Promise<Fault[]> {
  const confirm = async (them: readonly Pair[]) => {
    const found: { pair: Pair; fault: Fault }[] = []
    await forEachConcurrently(chunk(them, pairsPerRead), readsAtOnce, async batch => {
      found.push(...(await membershipFaults(data, batch, isShared, signal)))
    })
    return found
  }
  const suspected = await confirm(pairs)
  if (suspected.length === 0) return []
  await delay(data.clock, settlingMs, signal)
  return (await confirm(suspected.map(({ pair }) => pair))).map(({ fault }) => fault)
}
