import { chunk, forEachConcurrently } from '../../lib/concurrency.ts'
import type { ShowPhase } from './progress.ts'

/** A few: changes of one provider's users meet in its count. */
const batchesAtOnce = 4

/** Works on all of a list in batches, a few at once, as a phase with its progress. */
export const inBatches = <T>(
  phase: ShowPhase,
  label: string,
  list: readonly T[],
  size: number,
  work: (batch: T[]) => Promise<void>,
): Promise<void> =>
  phase(label, advance =>
    forEachConcurrently(chunk(list, size), batchesAtOnce, async batch => {
      await work(batch)
      advance(batch.length)
    }),
  )
