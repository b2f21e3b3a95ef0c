import { defineDataCommand, interruptible } from './command.ts'
import { type Data, withData } from './open-data.ts'
import { print } from './progress.ts'
import { type Fault, repair } from './verify/fault.ts'
import { findFaults } from './verify/find-faults.ts'

/**
 * Prints the faults of a table, and repairs each once.
 *
 * @internal
 * @returns exit code 0 when no fault was found or all are repaired, else 1
 */
export async function verifyTable(data: Data, isRepairing: boolean, signal: AbortSignal): Promise<number> {
  const { counts, faults } = await findFaults(data, signal)
  for (const { place, problem, rule } of faults) {
    const remedy = rule.mends ? `repair: ${rule.mends}` : `no repair: ${rule.why}`
    print(`${place}: ${problem}\n  ${remedy}`)
  }
  const repairable = faults.filter(fault => fault.repair !== undefined)
  const repaired = isRepairing ? await repairAll(data, repairable, signal) : 0
  const { provider, user, membership, foreign } = counts
  const done = isRepairing
    ? `; repaired: ${repaired}. Run it again to see what is left`
    : `; --repair repairs ${repairable.length} of them`
  const found = faults.length === 0 ? 'No fault' : `${faults.length} faults${done}`
  print(`providers: ${provider}, users: ${user}, memberships: ${membership}, others: ${foreign}. ${found}.`)
  return faults.length === repaired ? 0 : 1
}

/** Repairs each fault once, and prints why one is not repaired. @returns the number of those that are repaired */
async function repairAll(data: Data, faults: readonly Fault[], signal: AbortSignal): Promise<number> {
  let repaired = 0
  await data.phase('repairs', faults.length, async advance => {
    for (const { place, problem, repair: mend } of faults) {
      const refusal = mend && (await repair(data, mend, signal))
      if (refusal === undefined) repaired += 1
      else print(`${place}: ${problem}\n  not repaired: ${refusal}`)
      advance(1)
    }
  })
  return repaired
}

/** The exit code when the table could not be read; 1 means faults. */
const unreadCode = 2

export const verifyCommand = defineDataCommand(
  'verify',
  'Reads the table and prints what breaks its rules. Exit code: 0 no fault, or all are repaired; 1 faults; 2 the table could not be read.',
  '',
)
  .option('--repair', 'Repairs faults with exactly one right answer, once each, after printing them.')
  .exitOverride(error => {
    throw Object.assign(error, { exitCode: error.exitCode && unreadCode })
  })
  .action(({ table, repair: isRepairing = false }) => {
    process.exitCode = unreadCode
    return interruptible(signal => withData(table, signal, data => verifyTable(data, isRepairing, signal)))
  })
