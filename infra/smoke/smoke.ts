import { print } from '../command-line/output.ts'
import { askWithin } from './ask.ts'
import { smokeChecks } from './checks.ts'
import { removalCheck, type Scratch } from './removal-check.ts'

/** The names of the emulators by the value of the option `--emulator`. */
export const emulators: Readonly<Record<string, string>> = { sam: 'SAM CLI', localstack: 'LocalStack' }

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
  const emulatorName = emulators[emulator]
  let failed = 0
  let gaps = 0
  for (const { name, needed, gap, run } of checks) {
    scratch?.signal.throwIfAborted()
    try {
      say('ok  ', name, await run())
    } catch (error) {
      const { message } = error as Error
      const known = gap?.failure.test(message) ? gap : undefined
      if (known !== undefined && emulatorName !== undefined) {
        gaps++
        say('gap ', name, `${message}: ${emulatorName} ${known.reason}`)
      } else {
        failed++
        say('FAIL', name, known ? `${message}; for an emulator, set --emulator` : message)
        if (needed) break
      }
    }
  }
  const asFar = gaps > 0 ? `, except for the gaps of ${emulatorName}` : ''
  log(`${listUrl} is ${failed === 0 ? `healthy${asFar}` : 'not healthy'}.`)
  return failed === 0
}
