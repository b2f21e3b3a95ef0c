import { readFileSync } from 'node:fs'
import { Argument, InvalidArgumentError } from '@commander-js/extra-typings'
import { isJsonObject } from '../../lib/domain/json.ts'
import { defineCommand } from '../command-line/command.ts'
import { print } from '../command-line/output.ts'
import { fromAuth0 } from './recipes/auth0.ts'
import { fromKeycloak } from './recipes/keycloak.ts'
import { converted } from './recipes/source.ts'

const systems = { keycloak: fromKeycloak, auth0: fromAuth0 }

/** The objects of a file: of its JSON array, or one, or one in each line. */
function objectsIn(path: string): object[] {
  const text = readFileSync(path, 'utf8').replace(/^\ufeff/, '')
  const values = [jsonIn(text) ?? text.split('\n').filter(isNotBlank).map(jsonIn)].flat()
  const bad = values.findIndex(value => !isJsonObject(value))
  if (bad >= 0) throw new Error(`${path}: the value ${bad + 1} is not a JSON object. Export it again.`)
  return values
}

const isNotBlank = (line: string) => line.trim() !== ''

function jsonIn(text: string) {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Without a slash at the end. */
function baseUrl(text: string): string {
  if (!/^https?:\/\//.test(text) || !URL.canParse(text))
    throw new InvalidArgumentError('Give a URL such as https://sso.example.com.')
  return text.replace(/\/$/, '')
}

export const convertCommand = defineCommand('convert', {
  purpose: 'Prints the providers and users of another system as records for import.',
  example:
    'npm run --silent data -- convert keycloak --url https://sso.example.com realm.json > records.ndjson',
})
  .addArgument(new Argument('<SYSTEM>', 'The other system.').choices(['keycloak', 'auth0'] as const))
  .argument('<FILE...>', 'Its exported files.')
  .requiredOption('--url <URL>', 'Its base URL, as its users see it.', baseUrl)
  .option(
    '--prefer <ALIASES>',
    'Which SAML provider to link a user to who has several: the first of these, separated by commas.',
  )
  .action((system, files, { url, prefer = '' }) => {
    const found = systems[system](files.flatMap(objectsIn), url)
    const { providers, users, leftOut, problems } = converted(found, prefer.split(','))
    for (const record of [...providers, ...users]) print(JSON.stringify(record))
    for (const sentence of [...leftOut, ...problems]) process.stderr.write(`${sentence}\n`)
    process.stderr.write(`${providers.length} providers and ${users.length} users\n`)
    process.exitCode = problems.length > 0 || users.length + providers.length === 0 ? 1 : 0
  })
