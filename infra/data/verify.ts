import { print } from '../command-line/output.ts'
import { providerId } from '../command-line/values.ts'
import { defineDataCommand, interruptible } from './command.ts'
import { type Data, withData } from './open-data.ts'
import type { Fault } from './verify/fault.ts'
import { findFaults } from './verify/find-faults.ts'
import { repair } from './verify/repair.ts'

interface Options {
  isRepairing: boolean
  json: boolean
  /** Only this provider. */
  provider?: number | undefined
}

/**
 * Prints the faults of a table, and repairs each once.
 *
 * @internal
 * @returns exit code 0 when no fault was found or all are repaired, else 1
 */
export async function verifyTable(
  data: Data,
  { isRepairing, json, provider: only }: Options,
  signal: AbortSignal,
): Promise<number> {
  const { counts, others, faults } = await findFaults(data, signal, only)
  for (const [keys, items] of others)
    print(json ? JSON.stringify({ keys, items }) : `${items} items of another program: ${keys}`)
  const tell = ({ place, problem, rule: { mends, why } }: Fault, notRepaired?: string) => {
    const about = { place, problem, ...(mends ? { repair: mends } : { noRepair: why }), notRepaired }
    const text = mends ? `repair: ${mends}` : `no repair: ${why}`
    const more = notRepaired === undefined ? text : `not repaired: ${notRepaired}`
    print(json ? JSON.stringify(about) : `${place}: ${problem}\n  ${more}`)
  }
  for (const fault of faults) tell(fault)

  const repairable = faults.filter(fault => fault.repair !== undefined)
  let repaired = 0
  if (isRepairing)
    await data.phase('repairs', async advance => {
      for (const fault of repairable) {
        const refusal = fault.repair && (await repair(data, fault.repair, signal))
        if (refusal === undefined) repaired += 1
        else tell(fault, refusal)
        advance(1)
      }
    })
  const summary = { ...counts, faults: faults.length, repairable: repairable.length }
  if (json) print(JSON.stringify(isRepairing ? { ...summary, repaired } : summary))
  else {
    const { providers, users, memberships } = counts
    const done = isRepairing
      ? `; repaired: ${repaired}. Run it again to see what is left`
      : `; --repair repairs ${repairable.length} of them`
    const found = faults.length === 0 ? 'No fault' : `${faults.length} faults${done}`
    print(`providers: ${providers}, users: ${users}, memberships: ${memberships}. ${found}.`)
  }
  return faults.length === repaired ? 0 : 1
}

/** The exit code when the table could not be read; 1 means faults. */
const unreadCode = 2

export const verifyCommand = defineDataCommand(
  'verify',
  'Reads the table and prints what breaks its rules. Exit code: 0 no fault, or all are repaired; 1 faults; 2 the table could not be read.',
  '',
)
  .option(
    '--provider <ID>',
    'Reads only this provider, its memberships and their users, without a scan. Users who are linked to it and have no membership are found by a scan only.',
    providerId,
  )
  .option('--repair', 'Repairs faults with exactly one right answer, once each, after printing them.')
  .option('--json', 'Prints one JSON object per line: each fault, then the counts.')
  .exitOverride(error => {
    throw Object.assign(error, { exitCode: error.exitCode && unreadCode })
  })
  .action(({ table, provider, repair = false, json = false }) => {
    process.exitCode = unreadCode
    return interruptible(signal =>
      withData(table, signal, data => verifyTable(data, { isRepairing: repair, json, provider }, signal)),
    )
  })
