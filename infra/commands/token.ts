import { defineCommand, runCommand } from '../command-line/command.ts'
import { print } from '../command-line/output.ts'
import { userId, wholeNumber } from '../command-line/values.ts'
import { openIssuer } from '../local/issuer.ts'
import { localFolder } from '../project-root.ts'

const yearSeconds = 31_536_000

export const command = defineCommand('npm run --silent token --', {
  purpose: 'Prints one access token of the local issuer and nothing else.',
  example: 'npm run --silent token -- --scope "saml-providers:read" --expires-in 600',
})
  .option(
    '--sub <UUID>',
    'The id of the calling user, in lower case. Default: the sample administrator.',
    userId,
  )
  .option('--scope <"A B">', 'The scopes. Default: those for listing and removing.')
  .option(
    '--expires-in <SECONDS>',
    `Seconds until it expires, 1 to ${yearSeconds} (a year).`,
    wholeNumber(1, yearSeconds),
    3600,
  )
  .action(async ({ expiresIn: expiresInSeconds, ...claims }) => {
    const issuer = await openIssuer(localFolder)
    print(await issuer.tokenFor({ ...claims, expiresInSeconds }))
  })

await runCommand(import.meta.filename, command)
