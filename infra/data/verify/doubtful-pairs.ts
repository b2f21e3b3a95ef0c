import { chunk, forEachConcurrently } from '../../../lib/concurrency.ts'
import type { ProviderRecord } from '../../../lib/domain/provider.ts'
import { delay } from '../../../lib/time.ts'
import type { ShowPhase } from '../display.ts'
import type { Data } from '../open-data.ts'
import { type Fault, faultsOf } from './fault.ts'
import { isOfImport, membershipRules } from './membership-rules.ts'
import { type Pair, pairReader, pairsPerRead } from './pair.ts'

/** A pair that breaks a rule, or that an interrupted import can have left. */
interface Doubtful {
  pair: Pair
  faults: Fault[]
  isOfImport: boolean
}

const readsAtOnce = 4
const settlingMs = 1000

/**
 * The pairs that are doubtful now and a moment later: another writer's transaction may be read in part.
 *
 * @param providers all providers
 */
export async function doubtfulPairs(
  data: Data,
  pairs: readonly Pair[],
  providers: readonly ProviderRecord[],
  phase: ShowPhase,
  signal: AbortSignal,
): Promise<Doubtful[]> {
  const read = pairReader(data, providers)
  const look = (them: readonly Pair[]) =>
    phase('items read again', them.length, async advance => {
      const doubtful: Doubtful[] = []
      await forEachConcurrently(chunk(them, pairsPerRead), readsAtOnce, async batch => {
        const judged = (await read(batch, signal)).map((stored, index) => ({
          pair: batch[index] as Pair,
          faults: faultsOf(membershipRules, stored),
          isOfImport: isOfImport(stored),
        }))
        doubtful.push(...judged.filter(one => one.faults.length > 0 || one.isOfImport))
        advance(batch.length)
      })
      return doubtful
    })

  const first = await look(pairs)
  if (first.length === 0) return []
  await delay(data.clock, settlingMs, signal)
  return look(first.map(({ pair }) => pair))
}
