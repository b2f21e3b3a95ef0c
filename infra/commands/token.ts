import { options, refuse } from '../command-line/options.ts'
import { openIssuer, type TokenOptions } from '../local/issuer.ts'
import { localFolder } from '../local/local-folder.ts'

const expiresInMaxSeconds = 31_536_000

try {
  const issuer = await openIssuer(localFolder)
  process.stdout.write(`${await issuer.tokenFor(readOptions())}\n`)
} catch (error) {
  refuse(error)
}

function readOptions(): TokenOptions {
  const typed = options(
    { sub: { type: 'string' }, scope: { type: 'string' }, 'expires-in': { type: 'string' } },
    '--sub ID, --scope "A B", --expires-in SECONDS',
  )
  const { sub, scope, 'expires-in': expiresIn } = typed
  if (sub !== undefined && !/^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/.test(sub))
    throw new Error('--sub must be a UUID in lower case: the id of a user.')
  if (
    expiresIn !== undefined &&
    !(/^[1-9]\d{0,7}$/.test(expiresIn) && Number(expiresIn) <= expiresInMaxSeconds)
  )
    throw new Error(`--expires-in must be whole seconds, from 1 to ${expiresInMaxSeconds} (a year).`)
  return {
    ...(sub !== undefined && { sub }),
    ...(scope !== undefined && { scope }),
    ...(expiresIn !== undefined && { expiresInSeconds: Number(expiresIn) }),
  }
}
