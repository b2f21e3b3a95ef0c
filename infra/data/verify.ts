import { print } from '../command-line/output.ts'
import { providerId } from '../command-line/values.ts'
import { defineDataCommand } from './command.ts'
import { openDisplay } from './display.ts'
import { interruptible } from './interruptible.ts'
import { type Data, withData } from './open-data.ts'
import type { Fault } from './verify/fault.ts'
import { type Findings, findFaults } from './verify/find-faults.ts'
import { repair } from './verify/repair.ts'

interface Options {
  isRepairing: boolean
  json: boolean
  /** Only this provider. */
  provider?: number | undefined
}

/** A repair can reveal another fault, such as a link that was unreadable. */
const roundsMax = 10

/**
 * Prints the faults of a table, and repairs them until a round finds only those whose repair has failed.
 *
 * @internal
 * @returns exit code 0 when no fault is left, else 1
 */
export async function verifyTable(
  data: Data,
  { isRepairing, json, provider: only }: Options,
  signal: AbortSignal,
): Promise<number> {
  const { phase } = openDisplay()
  const printed = new Set<string>()
  const tell = ({ place, problem, rule: { mends } }: Fault, notRepaired?: string) => {
    const more = notRepaired === undefined ? mends && `repair: ${mends}` : `not repaired: ${notRepaired}`
    const line = json
      ? JSON.stringify({ place, problem, repair: mends, notRepaired })
      : `${place}: ${problem}${more === undefined ? '' : `\n  ${more}`}`
    if (!printed.has(line)) print(line)
    printed.add(line)
  }

  const refusals = new Map<string, string>()
  for (let round = 1; ; round++) {
    const { counts, faults } = await findFaults({ data, phase, signal, only })
    for (const fault of faults) tell(fault)
    const repairable = faults.filter(({ repair }) => repair !== undefined)
    if (!isRepairing || round === roundsMax || repairable.every(fault => refusals.has(nameOf(fault)))) {
      for (const fault of isRepairing ? repairable : [])
        tell(fault, refusals.get(nameOf(fault)) ?? 'it appeared meanwhile: run verify --repair again')
      const summary = { ...counts, faults: faults.length, repairable: repairable.length }
      print(json ? JSON.stringify(summary) : sentenceOf(summary, isRepairing))
      return faults.length === 0 ? 0 : 1
    }
    await phase('repairs', repairable.length, async advance => {
      for (const fault of repairable) {
        const refusal = fault.repair && (await repair(data, fault.repair, signal))
        if (refusal !== undefined) refusals.set(nameOf(fault), refusal)
        advance(1)
      }
    })
  }
}

const nameOf = ({ place, problem }: Fault) => `${place}: ${problem}`

type Summary = Findings['counts'] & { faults: number; repairable: number }

function sentenceOf({ faults, repairable, ...counts }: Summary, isRepairing: boolean): string {
  const { providers, users, memberships } = counts
  const found = `${faults === 0 ? 'No fault' : `${faults} faults`}${isRepairing ? ' left' : ''}`
  const hint = repairable > 0 && !isRepairing ? `; --repair repairs ${repairable} of them` : ''
  return `providers: ${providers}, users: ${users}, memberships: ${memberships}. ${found}${hint}.`
}

/** The exit code when the table could not be read; 1 means faults. */
const unreadCode = 2

export const verifyCommand = defineDataCommand(
  'verify',
  'Reads the table and prints what breaks its rules. Exit code: 0 no fault, 1 faults, 2 the table could not be read.',
  '',
)
  .option(
    '--provider <ID>',
    'Reads only this provider, its memberships and their users, without a scan. Users who are linked to it and have no membership are found by a scan only.',
    providerId,
  )
  .option('--repair', 'Repairs faults with exactly one right answer, after printing them.')
  .option('--dry-run', 'With --repair: prints the repairs and changes nothing.')
  .option('--json', 'Prints one JSON object per line: each fault, then the counts.')
  .exitOverride(error => {
    throw Object.assign(error, { exitCode: error.exitCode && unreadCode })
  })
  .action(({ table, provider, repair = false, dryRun = false, json = false }) => {
    process.exitCode = unreadCode
    return interruptible(signal =>
      withData(table, signal, data =>
        verifyTable(data, { isRepairing: repair && !dryRun, json, provider }, signal),
      ),
    )
  })
