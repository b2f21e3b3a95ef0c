import { askWithin } from './ask.ts'
import { smokeChecks } from './checks.ts'
import { emulators } from './emulators.ts'

interface Target {
  listUrl: string
  token: string
  /** For each answer. */
  timeoutMs: number
  /** A key of {@link emulators}, where the deployment is an emulated one. */
  emulator?: string | undefined
  /** Prints by default. */
  log?: (line: string) => void
}

/**
 * Runs every check and logs one line for each. A check that the emulator cannot pass counts as a gap when it fails in
 * the way that is known.
 *
 * @returns whether all others passed
 */
export async function smoke({
  listUrl,
  token,
  timeoutMs,
  emulator = '',
  log = print,
}: Target): Promise<boolean> {
  const say = (verdict: string, name: string, seen: string) => log(`${verdict} ${name.padEnd(20)} ${seen}`)
  const known = emulators[emulator]
  let failed = 0
  let gaps = 0
  for (const { name, needed, run } of smokeChecks({ ask: askWithin(timeoutMs), listUrl, token })) {
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
  const asFar = gaps > 0 ? `, as far as ${known?.name} can show it` : ''
  log(`${listUrl} is ${failed === 0 ? `healthy${asFar}` : 'not healthy'}.`)
  return failed === 0
}

function hint(check: string, failure: string): string {
  const common = Object.values(emulators).some(({ gaps }) => gaps[check]?.failure.test(failure))
  return common ? '; an emulator does no better: name it with --emulator' : ''
}

function print(line: string) {
  process.stdout.write(`${line}\n`)
}
