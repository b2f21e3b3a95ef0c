import { systemClock } from '../../lib/time.ts'
import { signer } from '../auth/token/signer.ts'
import { apiRequest } from '../support/api-request.ts'

const trusted = { issuer: 'https://issuer.example', audience: 'bench' }
const { jwks, sign } = signer({ ...trusted, nowMs: systemClock.nowMs })

/** The parameter `issuers`: the issuer of the caller. */
export const issuers = JSON.stringify([{ ...trusted, jwks }])

/** A UUID, so that the functions look the caller up; the table has no such user. */
const sub = '5a3d1c9e-7b42-4f06-9d18-c0ffee000002'

/** The event of a list or, with a provider's id, of a removal, by a caller who may do both. */
export function eventOf(providerId?: number) {
  const token = sign({ sub, scope: 'saml-providers:read saml-providers:delete' })
  const headers: [string, string][] = [['Authorization', `Bearer ${token}`]]
  const removal = { method: 'DELETE', resource: '/saml/{id}', pathParameters: { id: String(providerId) } }
  return apiRequest({ headers, ...(providerId !== undefined && removal) }, systemClock.nowMs())
}
