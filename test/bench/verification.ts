import { Buffer } from 'node:buffer'
import { verify as verifySignature } from 'node:crypto'
import { tokenVerifier } from '../../lib/auth/verifier.ts'
import { systemClock } from '../../lib/time.ts'
import { issuersOf } from '../auth/issuers.ts'
import { signer } from '../auth/token/signer.ts'
import type { Measured } from './measured.ts'

const issuer = 'https://id.example'
const audience = 'saml-api'
const jwksUri = `${issuer}/jwks`
const perSample = 10
const warmUpMs = 1_000
const measuringMs = 5_000

/** Verifies a good token whose key is known already; the floor is the check of its signature alone. */
export async function measureVerification(): Promise<Measured> {
  const { sign, jwks, publicKey } = signer({ issuer, audience, nowMs: systemClock.nowMs })
  const token = sign({
    scope: 'saml-providers:read saml-providers:delete',
    jti: 'f3b1',
    client_id: 'console',
  })
  const live = new AbortController().signal
  const verify = tokenVerifier(issuersOf({ issuer, audience, jwksUri }), systemClock, async () => jwks)
  await verify.warm(live)
  const signatureAt = token.lastIndexOf('.') + 1
  const signed = Buffer.from(token.slice(0, signatureAt - 1))
  const signature = Buffer.from(token.slice(signatureAt), 'base64url')

  const ours = () =>
    microseconds(async () => {
      for (let i = 0; i < perSample; i++) await verify(token, live)
    })
  const floor = () =>
    microseconds(async () => {
      for (let i = 0; i < perSample; i++) verifySignature('sha256', signed, publicKey, signature)
    })
  await inTurns(ours, floor, warmUpMs)
  const samples = await inTurns(ours, floor, measuringMs)
  const name = 'verify a warm RS256 token / crypto.verify alone'
  return { name, unit: 'µs', ...samples, target: 'at most 2.5 times' }
}

/** Takes one sample of each after the other, and lets them change places, so that neither always runs on warm caches. */
async function inTurns(ours: () => Promise<number>, floor: () => Promise<number>, forMs: number) {
  const samples = { floor: [] as number[], ours: [] as number[] }
  const endMs = performance.now() + forMs
  for (let round = 0; performance.now() < endMs; round++) {
    if (round % 2 === 0) samples.floor.push(await floor())
    samples.ours.push(await ours())
    if (round % 2 === 1) samples.floor.push(await floor())
  }
  return samples
}

/** What one of them takes. */
async function microseconds(work: () => Promise<void>): Promise<number> {
  const startMs = performance.now()
  await work()
  return ((performance.now() - startMs) * 1_000) / perSample
}

function table({ name, floor, ours, target }: Measured): string {
  const pairs = ours.map((each, i) => [each, floor[i] ?? Number.NaN] as const)
  const rows: [string, number[], number][] = [
    ['floor µs', floor, 1],
    ['ours µs', ours, 1],
    ['difference µs', pairs.map(([a, b]) => a - b), 1],
    ['ratio', pairs.map(([a, b]) => a / b), 2],
  ]
  const line = (cells: string[]) => cells.map((cell, i) => (i ? cell.padStart(8) : cell.padEnd(14))).join(' ')
  return [
    `${name} (${target}; ${ours.length} rounds of ${perSample} each, Node ${process.version})`,
    line(['', 'p10', 'median', 'p90']),
    ...rows.map(([title, samples, digits]) =>
      line([title, ...[0.1, 0.5, 0.9].map(share => quantile(samples, share).toFixed(digits))]),
    ),
    '',
  ].join('\n')
}

function quantile(samples: number[], share: number): number {
  const sorted = samples.toSorted((a, b) => a - b)
  return sorted[Math.round((sorted.length - 1) * share)] ?? Number.NaN
}

if (import.meta.main) process.stdout.write(table(await measureVerification()))
