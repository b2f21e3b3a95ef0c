import { Argument, InvalidArgumentError } from '@commander-js/extra-typings'
import { defineCommand } from '../command-line/command.ts'
import { print } from '../command-line/output.ts'
import { interruptible } from './interruptible.ts'
import { fromAuth0 } from './recipes/auth0.ts'
import { fromKeycloak } from './recipes/keycloak.ts'
import { converted, type Placed } from './recipes/source.ts'
import { valueReader } from './records/reader.ts'
import { findSources, readPieces, type Source } from './records/source.ts'

const systems = { keycloak: fromKeycloak, auth0: fromAuth0 }

/** The JSON values of the files. */
async function valuesIn(sources: Source[], signal: AbortSignal): Promise<Placed[]> {
  const values: Placed[] = []
  for (const source of sources) {
    const pieces = await Array.fromAsync(readPieces(source, () => {}, signal, valueReader))
    if (pieces.flat().length === 0) throw new Error(`There is no record in ${source.name}.`)
    for (const piece of pieces.flat())
      values.push({ place: `${source.name}:${piece.line}`, value: 'value' in piece && piece.value })
  }
  return values
}

/** Without a slash at the end. */
function baseUrl(text: string): string {
  if (!/^https?:\/\//.test(text) || !URL.canParse(text) || text.includes('/realms/'))
    throw new InvalidArgumentError('Give a URL such as https://sso.example.com, without /realms/ and more.')
  return text.replace(/\/$/, '')
}

const list = (text: string) => text.split(',')

export const convertCommand = defineCommand('convert', {
  purpose:
    'Prints the providers and users of another system as records for import; nothing while a user needs a decision.',
  example:
    'npm run --silent data -- convert keycloak --url https://sso.example.com realm.json > records.ndjson',
})
  .addArgument(new Argument('<SYSTEM>', 'The other system.').choices(['keycloak', 'auth0'] as const))
  .argument('<FILE...>', 'Its exported files, or - for standard input.')
  .requiredOption('--url <URL>', 'Its base URL, as its users see it.', baseUrl)
  .option(
    '--prefer <ALIASES>',
    'Which SAML provider to link a user to who has several: the first of these, separated by commas.',
    list,
    [],
  )
  .option(
    '--leave-out <ALIASES>',
    'SAML providers to leave out, separated by commas. Their users are not linked to them.',
    list,
    [],
  )
  .action((system, files, { url, ...decisions }) =>
    interruptible(async signal => {
      const found = systems[system](await valuesIn(findSources(files), signal), url)
      const { providers, users, leftOut, problems } = converted(found, decisions)
      for (const sentence of [...leftOut, ...problems]) process.stderr.write(`${sentence}\n`)
      if (problems.length > 0)
        throw new Error(`Nothing was written. Users who need a decision: ${problems.length}.`)
      for (const record of [...providers, ...users]) print(JSON.stringify(record))
      process.stderr.write(`providers: ${providers.length}, users: ${users.length}\n`)
    }),
  )
