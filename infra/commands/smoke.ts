import { options, refuse } from '../command-line/options.ts'
import { routes } from '../serverless/service-definition.ts'
import { askWithin } from '../smoke/ask.ts'
import { smokeChecks } from '../smoke/checks.ts'

const listPath = `/${routes.find(({ method }) => method === 'get')?.path}`

try {
  const { listUrl, token, timeoutMs } = readOptions()
  process.exitCode = await run(listUrl, token, timeoutMs)
} catch (error) {
  refuse(error)
}

/** @returns 0 when every check passes, else 1 */
async function run(listUrl: string, token: string, timeoutMs: number): Promise<number> {
  let failed = 0
  for (const { name, needed, run } of smokeChecks({ ask: askWithin(timeoutMs), listUrl, token })) {
    try {
      say('ok  ', name, await run())
    } catch (error) {
      failed++
      say('FAIL', name, (error as Error).message)
      if (needed) break
    }
  }
  process.stdout.write(failed === 0 ? `${listUrl} is healthy.\n` : `${listUrl} is not healthy.\n`)
  return failed === 0 ? 0 : 1
}

function say(verdict: string, name: string, seen: string) {
  process.stdout.write(`${verdict} ${name.padEnd(20)} ${seen}\n`)
}

function readOptions() {
  const typed = options(
    { url: { type: 'string' }, token: { type: 'string' }, timeout: { type: 'string' } },
    '--url URL, --token TOKEN, --timeout SECONDS',
  )
  const { url = '', token = '', timeout = '30' } = typed
  if (!URL.canParse(url) || !/^https?:/.test(url))
    throw new Error('--url must be the URL of a deployment: up to and with the stage, or its output ListUrl.')
  if (!/^[\w-]+\.[\w-]+\.[\w-]+$/.test(token)) throw new Error('--token must be an access token (a JWT).')
  if (!/^[1-9]\d{0,2}$/.test(timeout)) throw new Error('--timeout must be whole seconds, from 1 to 999.')
  const base = url.replace(/\/+$/, '').replace(new RegExp(`${listPath}$`), '')
  return { listUrl: `${base}${listPath}`, token, timeoutMs: Number(timeout) * 1000 }
}
