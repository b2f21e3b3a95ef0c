import { delay } from '../../lib/time.ts'
import { report } from '../command-line/output.ts'
import { defineDataCommand, onTable } from './command.ts'
import type { Data } from './open-data.ts'
import { write } from './output.ts'
import { type Findings, look } from './verify/look.ts'

/** Longer than a transaction of another writer lasts, of which a look may see a part. */
const settlingMs = 5000

/**
 * Finds what breaks the rules on which the exact list of a removal depends. What only one of two looks finds, a writer has
 * changed in between.
 *
 * @internal
 * @throws Error of one sentence while an import is unfinished
 */
export async function verifyTable(data: Data, signal: AbortSignal): Promise<Findings> {
  const first = await look(data, signal)
  if (first.faults.size === 0) return first
  await delay(data.clock, settlingMs, signal)
  const again = await look(data, signal)
  return { ...again, faults: new Set([...first.faults].filter(fault => again.faults.has(fault))) }
}

export const verifyCommand = defineDataCommand(
  'verify',
  'Prints what in the table breaks the rules for writers, a line for each fault, and repairs nothing. Exit code: 0 no fault, 1 faults.',
  '',
).action(({ table }) =>
  onTable(table, async (data, signal) => {
    const { faults, checked, inRemoval } = await verifyTable(data, signal)
    const lines = [...faults].sort().map(fault => `${fault}\n`)
    await write(lines.join(''))
    const found = faults.size > 0 ? `${faults.size} faults` : 'No fault'
    const unchecked = inRemoval > 0 ? `; ${inRemoval} in removal were not checked` : ''
    report(`${found} in ${checked} providers${unchecked}.`)
    return faults.size > 0 ? 1 : 0
  }),
)
