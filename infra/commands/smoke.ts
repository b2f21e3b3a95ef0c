import { runCommand } from '../command-line/command.ts'
import { routes } from '../serverless/service-definition.ts'
import { askWithin } from '../smoke/ask.ts'
import { smokeChecks } from '../smoke/checks.ts'

const listPath = `/${routes.find(({ method }) => method === 'get')?.path}`

await runCommand({
  name: 'npm run --silent smoke --',
  purpose:
    'Checks a deployment: lists, is refused where it must be, looks at fields and headers. It only reads.',
  options: {
    url: { type: 'string', value: 'URL', description: 'Up to and with the stage, or the output ListUrl.' },
    token: { type: 'string', value: 'TOKEN', description: 'An access token with the scope for listing.' },
    timeout: {
      type: 'string',
      value: 'SECONDS',
      description: 'How long each answer may take, 1 to 999.',
      default: '30',
    },
  },
  example:
    'npm run --silent smoke -- --url https://abc123.execute-api.eu-central-1.amazonaws.com/prod --token TOKEN',
  run({ url = '', token = '', timeout }) {
    if (!URL.canParse(url) || !/^https?:/.test(url))
      throw new Error(
        '--url must be the URL of a deployment: up to and with the stage, or its output ListUrl.',
      )
    if (!/^[\w-]+\.[\w-]+\.[\w-]+$/.test(token)) throw new Error('--token must be an access token (a JWT).')
    if (!/^[1-9]\d{0,2}$/.test(timeout)) throw new Error('--timeout must be whole seconds, from 1 to 999.')
    const base = url.replace(/\/+$/, '').replace(new RegExp(`${listPath}$`), '')
    return check(`${base}${listPath}`, token, Number(timeout) * 1000)
  },
})

/** @returns 0 when every check passes, else 1 */
async function check(listUrl: string, token: string, timeoutMs: number): Promise<number> {
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
