import { delay } from '../../lib/time.ts'
import { defineDataCommand, onTable } from './command.ts'
import type { Data } from './open-data.ts'
import { write } from './output.ts'
import { look } from './verify/look.ts'

/** Longer than a transaction of another writer lasts, of which a look may see a part. */
const settlingMs = 5000

/**
 * Finds what breaks the rules on which the exact list of a removal depends. What only one of two looks finds, a writer has
 * changed in between.
 *
 * @internal
 * @returns a sentence for each fault
 * @throws Error of one sentence while an import is unfinished
 */
export async function faultsOf(data: Data, signal: AbortSignal): Promise<string[]> {
  const faults = await look(data, signal)
  if (faults.size === 0) return []
  await delay(data.clock, settlingMs, signal)
  const again = await look(data, signal)
  return [...faults].filter(fault => again.has(fault)).sort()
}

export const verifyCommand = defineDataCommand(
  'verify',
  'Prints what in the table breaks the rules for writers, a line for each fault, and repairs nothing. Exit code: 0 no fault, 1 faults.',
  '',
).action(({ table }) =>
  onTable(table, async (data, signal) => {
    const faults = await faultsOf(data, signal)
    await write(faults.map(fault => `${fault}\n`).join(''))
    return faults.length > 0 ? 1 : 0
  }),
)
