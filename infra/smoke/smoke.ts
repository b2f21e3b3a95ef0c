import { print } from '../command-line/output.ts'
import { askWithin } from './ask.ts'
import { smokeChecks } from './checks.ts'
import { removalCheck, type Scratch } from './removal-check.ts'

interface Target {
  listUrl: string
  token: string
  /** Where a removal is tried, too. */
  scratch?: Scratch | undefined
  /** Time limit of each answer. */
  timeoutMs: number
  /** Whether the deployment runs on an emulator; then the check of API Gateway's own answers is skipped. */
  isEmulated?: boolean
  /** Default: prints to standard output. */
  log?: (line: string) => void
}

/**
 * Runs every check and logs one line for each.
 *
 * @returns whether all passed that were not skipped
 */
export async function smoke({
  listUrl,
  token,
  scratch,
  timeoutMs,
  isEmulated = false,
  log = print,
}: Target): Promise<boolean> {
  const target = { ask: askWithin(timeoutMs), listUrl, token }
  const checks = [...smokeChecks(target), ...(scratch === undefined ? [] : [removalCheck(target, scratch)])]
  const say = (verdict: string, name: string, seen: string) => log(`${verdict} ${name.padEnd(20)} ${seen}`)
  let failed = 0
  for (const { name, needed, onAwsOnly, run } of checks) {
    scratch?.signal.throwIfAborted()
    if (isEmulated && onAwsOnly) {
      say('skip', name, 'an emulator answers it in its own way')
      continue
    }
    try {
      say('ok  ', name, await run())
    } catch (error) {
      failed++
      say('FAIL', name, (error as Error).message)
      if (needed) break
    }
  }
  log(`${listUrl} is ${failed === 0 ? 'healthy' : 'not healthy'}.`)
  return failed === 0
}
