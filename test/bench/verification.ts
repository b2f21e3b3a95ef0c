import { Buffer } from 'node:buffer'
import { verify as verifySignature } from 'node:crypto'
import { tokenVerifier } from '../../lib/auth/verifier.ts'
import { systemClock } from '../../lib/time.ts'
import { issuersOf } from '../auth/issuers.ts'
import { signer } from '../auth/token/signer.ts'
import { type Figure, inTurns, wallMs } from './measured.ts'

const issuer = 'https://id.example'
const audience = 'saml-api'
const jwksUri = `${issuer}/jwks`
const perSample = 10
const warmUpRounds = 500

/** Verifies a good token whose key is known already; the floor is the check of its signature alone. */
export async function measureVerification(rounds: number): Promise<Figure> {
  const { sign, jwks, publicKey } = signer({ issuer, audience, nowMs: systemClock.nowMs })
  const scope = 'saml-providers:read saml-providers:delete'
  const token = sign({ scope, jti: 'f3b1', client_id: 'console' })
  const live = new AbortController().signal
  const verify = tokenVerifier(issuersOf({ issuer, audience, jwksUri }), systemClock, async () => jwks)
  await verify.warm(live)
  const signatureAt = token.lastIndexOf('.') + 1
  const signed = Buffer.from(token.slice(0, signatureAt - 1))
  const signature = Buffer.from(token.slice(signatureAt), 'base64url')

  const each = (work: () => unknown) => async () => {
    const all = async () => {
      for (let i = 0; i < perSample; i++) await work()
    }
    return ((await wallMs(all)) * 1_000) / perSample
  }
  const ours = each(() => verify(token, live))
  const floor = each(() => verifySignature('sha256', signed, publicKey, signature))
  await inTurns(warmUpRounds, floor, ours)
  const samples = await inTurns(rounds, floor, ours)
  const name = 'verify a warm RS256 token / crypto.verify alone'
  return { name, unit: 'µs', ...samples, target: 2.5 }
}
