import { isUserId } from '../../lib/domain/user-id.ts'
import { runCommand } from '../command-line/command.ts'
import { openIssuer } from '../local/issuer.ts'
import { localFolder } from '../project-root.ts'

const expiresInMaxSeconds = 31_536_000

await runCommand({
  name: 'npm run --silent token --',
  purpose: 'Prints one access token of the local issuer and nothing else.',
  options: {
    sub: {
      type: 'string',
      value: 'UUID',
      description: 'The id of the calling user, in lower case. Default: the sample administrator.',
    },
    scope: {
      type: 'string',
      value: '"A B"',
      description: 'The scopes. Default: those for listing and removing.',
    },
    'expires-in': {
      type: 'string',
      value: 'SECONDS',
      description: `Seconds until it expires, 1 to ${expiresInMaxSeconds} (a year).`,
      default: '3600',
    },
  },
  example: 'npm run --silent token -- --scope "saml-providers:read" --expires-in 600',
  async run({ sub, scope, 'expires-in': expiresIn }) {
    if (sub !== undefined && !isUserId(sub))
      throw new Error('--sub must be a UUID in lower case: the id of a user.')
    if (!/^[1-9]\d{0,7}$/.test(expiresIn) || Number(expiresIn) > expiresInMaxSeconds)
      throw new Error(`--expires-in must be whole seconds, from 1 to ${expiresInMaxSeconds} (a year).`)
    const issuer = await openIssuer(localFolder)
    const token = await issuer.tokenFor({
      ...(sub !== undefined && { sub }),
      ...(scope !== undefined && { scope }),
      expiresInSeconds: Number(expiresIn),
    })
    process.stdout.write(`${token}\n`)
  },
})
