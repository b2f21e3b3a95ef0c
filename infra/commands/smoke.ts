import { runCommand } from '../command-line/command.ts'
import { interruptible } from '../data/interruptible.ts'
import { tableOption, tableVariables, withData } from '../data/open-data.ts'
import { endpointUrls } from '../serverless/service-definition.ts'
import { emulators } from '../smoke/emulators.ts'
import { freeProviderId } from '../smoke/removal-check.ts'
import { smoke } from '../smoke/smoke.ts'

const listPath = endpointUrls('').listUrl
const names = Object.keys(emulators).join(' or ')

await runCommand({
  name: 'npm run --silent smoke --',
  purpose:
    'Checks a deployment: list, refusals, fields, headers, compression, latency. It only reads, except with --remove.',
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
    remove: {
      type: 'boolean',
      description:
        'Also makes a provider with two users, removes it by the endpoint, and deletes what it made.',
    },
    table: { ...tableOption.table, description: 'With --remove: the table of the deployment, TableName.' },
    emulator: {
      type: 'string',
      value: 'NAME',
      description: `The emulator that runs the deployment: ${names}. Its known gaps are not counted as failures.`,
    },
  },
  variables: tableVariables,
  example:
    'npm run --silent smoke -- --url https://abc123.execute-api.eu-central-1.amazonaws.com/prod --token TOKEN',
  async run({ url = '', token = '', timeout, emulator, remove = false, table }) {
    if (!URL.canParse(url) || !/^https?:/.test(url))
      throw new Error('--url must be the URL of a deployment including its stage, or its output ListUrl.')
    if (!/^[\w-]+\.[\w-]+\.[\w-]+$/.test(token)) throw new Error('--token must be an access token (a JWT).')
    if (!/^[1-9]\d{0,2}$/.test(timeout)) throw new Error('--timeout must be whole seconds, from 1 to 999.')
    if (emulator !== undefined && !Object.hasOwn(emulators, emulator))
      throw new Error(`--emulator must be ${names}, not "${emulator}".`)
    const base = url.replace(/\/+$/, '').replace(new RegExp(`${listPath}$`), '')
    const { listUrl, deleteUrl } = endpointUrls(base)
    const target = { listUrl, token, timeoutMs: Number(timeout) * 1000, emulator }
    if (!remove) return (await smoke(target)) ? 0 : 1
    return interruptible(signal =>
      withData(table, async data => {
        const providerId = await freeProviderId(data, signal)
        return (await smoke({ ...target, scratch: { data, deleteUrl, providerId, signal } })) ? 0 : 1
      }),
    )
  },
})
