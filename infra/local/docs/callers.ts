import { disabledUserId, linkedAdministratorId } from '../../sample-data/sample-data.ts'
import type { TokenIssuer, TokenOptions } from '../issuer.ts'

/** The callers that the page offers, one for each kind of answer. */
const callers: Record<string, TokenOptions> = {
  Administrator: {},
  'Administrator who signs in through Microsoft Entra ID': { sub: linkedAdministratorId },
  'Administrator who may only list': { scope: 'saml-providers:read' },
  'Disabled user': { sub: disabledUserId },
  'Expired token': { expiresInSeconds: -1 },
}

/** Every caller with a new token; the last one has none. */
export async function tokensOf(tokenFor: TokenIssuer['tokenFor']) {
  const made = Object.entries(callers).map(async ([caller, options]) => ({
    caller,
    token: await tokenFor(options),
  }))
  return [...(await Promise.all(made)), { caller: 'No token', token: '' }]
}
