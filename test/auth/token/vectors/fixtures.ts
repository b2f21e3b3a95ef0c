import type { Buffer } from 'node:buffer'
import { fakeClock } from '../../../support/fake-clock.ts'
import { sharedKeys } from '../shared-keys.ts'
import { type Alg, compact, type Members, signer } from '../signer.ts'

/** Tokens by the name of their row. */
export type Vectors = Record<string, string>

export const clock = fakeClock()
export const now = clock.nowMs() / 1000
export const issuer = 'https://id.example'
export const audience = 'saml-api'

/** Signs as the trusted issuer with another key than its first. */
export const signerOf = (kid: string, alg: Alg = 'RS256', keys = sharedKeys('other')) =>
  signer({ issuer, audience, nowMs: clock.nowMs, kid, alg, keys })

/** The trusted issuer. */
export const good = signerOf('key-1', 'RS256', sharedKeys('trusted'))
/** Header and claims of an accepted token. */
export const head: Members = { alg: 'RS256', typ: 'at+jwt', kid: 'key-1' }
export const body: Members = { iss: issuer, aud: audience, sub: 'machine', iat: now, exp: now + 300 }
export const parts = good.sign().split('.')

/** JSON of the members with added text, for JSON that JSON.stringify cannot write. */
export const text = (members: Members, added = '') => JSON.stringify(members).replace(/}$/, `${added}}`)

/** A token with any header and payload and a valid signature. */
export const signed = (header: Members | string | Buffer, payload: Members | string | Buffer) =>
  compact(header, payload, good.privateKey)

/** An accepted token with one part changed. */
export const part = (index: number, change: (text: string) => string) =>
  parts.map((each, i) => (i === index ? change(each) : each)).join('.')

export const nested = (depth: number): unknown => (depth === 0 ? 1 : [nested(depth - 1)])

/** A token that is valid except for its length. One header cannot give every length. */
export function ofLength(length: number): string {
  const pad = 'x'.repeat(Math.max(0, Math.floor(((length - good.sign().length) * 3) / 4) - 20))
  for (let more = 0; more < 60; more++) {
    const claims = { pad: pad + 'x'.repeat(more % 20) }
    const token = good.sign(claims, { pad: 'x'.repeat(Math.floor(more / 20)) })
    if (token.length === length) return token
  }
  throw new Error(`no token of ${length} bytes`)
}

/** One row for each value of a member; undefined omits it. */
export const valuesOf = (name: string, values: unknown[], sign: (members: Members) => string): Vectors =>
  Object.fromEntries(values.map(value => [`${name} ${shown(value)}`, sign({ [name]: value })]))

/** A token with this claim, for each of the values. */
export const claim = (name: string, ...values: unknown[]) =>
  valuesOf(name, values, claims => good.sign(claims))
/** A token with this header parameter, for each of the values. */
export const parameter = (name: string, ...values: unknown[]) =>
  valuesOf(name, values, header => good.sign({}, header))

function shown(value: unknown): string {
  const json = String(JSON.stringify(value))
  return json.length > 40 ? `${json.slice(0, 20)}… (${json.length})` : json
}
