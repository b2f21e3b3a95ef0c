import { runCommand } from '../command-line/command.ts'
import { routes } from '../serverless/service-definition.ts'
import { emulators } from '../smoke/emulators.ts'
import { smoke } from '../smoke/smoke.ts'

const listPath = `/${routes.find(({ method }) => method === 'get')?.path}`
const names = Object.keys(emulators).join(' or ')

await runCommand({
  name: 'npm run --silent smoke --',
  purpose: 'Checks a deployment: list, refusals, fields, headers, compression, latency. It only reads.',
  options: {
    url: {
      type: 'string',
      value: 'URL',
      description: 'The URL of the deployment, including the stage, or its output ListUrl.',
    },
    token: { type: 'string', value: 'TOKEN', description: 'An access token with the scope for listing.' },
    timeout: {
      type: 'string',
      value: 'SECONDS',
      description: 'Time limit of each answer in seconds, 1 to 999.',
      default: '30',
    },
    emulator: {
      type: 'string',
      value: 'NAME',
      description: `The emulator that runs the deployment: ${names}. Its known gaps are not counted as failures.`,
    },
  },
  example:
    'npm run --silent smoke -- --url https://abc123.execute-api.eu-central-1.amazonaws.com/prod --token TOKEN',
  async run({ url = '', token = '', timeout, emulator }) {
    if (!URL.canParse(url) || !/^https?:/.test(url))
      throw new Error('--url must be the URL of a deployment including its stage, or its output ListUrl.')
    if (!/^[\w-]+\.[\w-]+\.[\w-]+$/.test(token)) throw new Error('--token must be an access token (a JWT).')
    if (!/^[1-9]\d{0,2}$/.test(timeout)) throw new Error('--timeout must be whole seconds, from 1 to 999.')
    if (emulator !== undefined && !Object.hasOwn(emulators, emulator))
      throw new Error(`--emulator must be ${names}, not "${emulator}".`)
    const base = url.replace(/\/+$/, '').replace(new RegExp(`${listPath}$`), '')
    const listUrl = `${base}${listPath}`
    return (await smoke({ listUrl, token, timeoutMs: Number(timeout) * 1000, emulator })) ? 0 : 1
  },
})
