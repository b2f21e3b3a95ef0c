import { readFileSync } from 'node:fs'
import { Argument, InvalidArgumentError } from '@commander-js/extra-typings'
import { isJsonObject } from '../../lib/domain/json.ts'
import { defineCommand } from '../command-line/command.ts'
import { print } from '../command-line/output.ts'
import { fromAuth0 } from './recipes/auth0.ts'
import { fromKeycloak } from './recipes/keycloak.ts'
import type { ConvertOptions } from './recipes/source.ts'

const systems = { keycloak: fromKeycloak, auth0: fromAuth0 }

/** Prints the records, and on standard error what is left out. */
function run(system: keyof typeof systems, paths: readonly string[], options: ConvertOptions): void {
  const { providers, users, leftOut, problems } = systems[system](paths.flatMap(objectsIn), options)
  for (const record of [...providers, ...users]) print(JSON.stringify(record))
  for (const sentence of [...leftOut, ...problems]) process.stderr.write(`${sentence}\n`)
  process.stderr.write(`${providers.length} providers and ${users.length} users\n`)
  process.exitCode = problems.length > 0 || users.length + providers.length === 0 ? 1 : 0
}

/** The objects of a file: of its JSON array, or one, or one in each line. */
function objectsIn(path: string): object[] {
  const values = valuesIn(path).flat()
  if (!values.every(isJsonObject)) throw new Error(`${path} has other values than objects. Export it again.`)
  return values
}

function valuesIn(path: string): unknown[] {
  const text = readFileSync(path, 'utf8').replace(/^\ufeff/, '')
  try {
    return [JSON.parse(text)]
  } catch {
    return text
      .split('\n')
      .flatMap((line, index) => (line.trim() === '' ? [] : parsed(line, `${path}:${index + 1}`)))
  }
}

function parsed(line: string, place: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    throw new Error(`${place}: the text is not JSON. Export it again.`)
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
  .action((system, files, { url, prefer = '' }) => run(system, files, { url, prefer: prefer.split(',') }))
