import type { Buffer } from 'node:buffer'
import { fakeClock } from '../../../support/fake-clock.ts'
import { sharedKeys } from '../shared-keys.ts'
import { compact, type Members, signer } from '../signer.ts'

/** Name of the row → token. */
export type Vectors = Record<string, string>

export const clock = fakeClock()
export const now = clock.nowMs() / 1000
export const issuer = 'https://id.example'
export const audience = 'saml-api'
/** The issuer that is trusted. */
export const good = signer({ issuer, audience, nowMs: clock.nowMs, keys: sharedKeys('trusted') })
/** Header and claims of a token that is accepted. */
export const head: Members = { alg: 'RS256', typ: 'at+jwt', kid: 'key-1' }
export const body: Members = { iss: issuer, aud: audience, sub: 'machine', iat: now, exp: now + 300 }
const parts = good.sign().split('.')

/** JSON of the members, and what JSON.stringify would never write. */
export const text = (members: Members, added = '') => JSON.stringify(members).replace(/}$/, `${added}}`)

/** Properly signed, whatever it is. */
export const garbled = (header: Members | string | Buffer, payload: Members | string | Buffer) =>
  compact(header, payload, good.privateKey)

/** An accepted token with one part changed. */
export const part = (index: number, change: (text: string) => string) =>
  parts.map((each, i) => (i === index ? change(each) : each)).join('.')

export const nested = (depth: number): unknown => (depth === 0 ? 1 : [nested(depth - 1)])

/** An accepted token but for its length; not every length can be had with one header. */
export function ofLength(length: number): string {
  const pad = 'x'.repeat(Math.max(0, Math.floor(((length - good.sign().length) * 3) / 4) - 20))
  for (let more = 0; more < 60; more++) {
    const claims = { pad: pad + 'x'.repeat(more % 20) }
    const token = good.sign(claims, { pad: 'x'.repeat(Math.floor(more / 20)) })
    if (token.length === length) return token
  }
  throw new Error(`no token of ${length} bytes`)
}

export function fromEach<T>(values: readonly T[], row: (value: T) => [string, string]): Vectors {
  return Object.fromEntries(values.map(row))
}
