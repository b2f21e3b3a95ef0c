import { print } from '../command-line/output.ts'
import { askWithin } from './ask.ts'
import { smokeChecks } from './checks.ts'
import { emulators } from './emulators.ts'
import { removalCheck, type Scratch } from './removal-check.ts'

interface Target {
  listUrl: string
  token: string
  /** Where a removal is tried, too. */
  scratch?: Scratch | undefined
  /** Time limit of each answer. */
  timeoutMs: number
  /** A key of {@link emulators} when the deployment runs on an emulator. */
  emulator?: string | undefined
  /** Default: prints to standard output. */
  log?: (line: string) => void
}

/**
 * Runs every check and logs one line for each. A check that fails as known for the emulator is a gap, not a failure.
 *
 * @returns whether all other checks passed
 */
export async function smoke({
  listUrl,
  token,
  scratch,
  timeoutMs,
  emulator = '',
  log = print,
}: Target): Promise<boolean> {
  const target = { ask: askWithin(timeoutMs), listUrl, token }
  const checks = [...smokeChecks(target), ...(scratch === undefined ? [] : [removalCheck(target, scratch)])]
  const say = (verdict: string, name: string, seen: string) => log(`${verdict} ${name.padEnd(20)} ${seen}`)
  const known = emulators[emulator]
  let failed = 0
  let gaps = 0
  for (const { name, needed, run } of checks) {
    scratch?.signal.throwIfAborted()
    try {
      say('ok  ', name, await run())
    } catch (error) {
      const { message } = error as Error
      const gap = known?.gaps[name]
      if (gap?.failure.test(message)) {
        gaps++
        say('gap ', name, `${message}: ${known?.name} ${gap.reason}`)
      } else {
        failed++
        say('FAIL', name, known === undefined ? `${message}${hint(name, message)}` : message)
        if (needed) break
      }
    }
  }
  const asFar = gaps > 0 ? `, except for the gaps of ${known?.name}` : ''
  log(`${listUrl} is ${failed === 0 ? `healthy${asFar}` : 'not healthy'}.`)
  return failed === 0
}

function hint(check: string, failure: string): string {
  const common = Object.values(emulators).some(({ gaps }) => gaps[check]?.failure.test(failure))
  return common ? '; for an emulator, set --emulator' : ''
}
