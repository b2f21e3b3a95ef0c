import { expect, test } from 'vitest'
import { discoverJwksUri } from '../../../lib/auth/keys/discovery.ts'
import { keySet } from '../../../lib/auth/keys/key-set.ts'
import { fakeClock } from '../../support/fake-clock.ts'
import { policyOf } from '../issuers.ts'

const live = new AbortController().signal
const issuer = 'https://id.example'
const discoveryUri = `${issuer}/.well-known/openid-configuration`
const document = { issuer, jwks_uri: 'https://keys.example/jwks' }
const noKeys = { keys: [] }

/** A fake of `fetchJson` for these documents that records the requested URLs. */
function fakeWeb(published: Record<string, unknown>) {
  const requested: string[] = []
  const fetchJson = async (uri: string) => {
    requested.push(uri)
    return published[uri]
  }
  return { requested, fetchJson }
}

test('the jwks_uri is discovered at each fetch', async () => {
  const published: Record<string, unknown> = { [discoveryUri]: document, [document.jwks_uri]: noKeys }
  const { requested, fetchJson } = fakeWeb(published)
  const clock = fakeClock()
  const keys = keySet(policyOf({ issuer, audience: 'a' }), clock, fetchJson, () => {})
  await keys.find('a', live)
  clock.advance(55_000)
  published[discoveryUri] = { ...document, jwks_uri: 'https://keys.example/moved' }
  published['https://keys.example/moved'] = noKeys
  await keys.find('b', live)
  expect(requested).toEqual([discoveryUri, document.jwks_uri, discoveryUri, 'https://keys.example/moved'])
})

test('discovery and fetch are aborted together after five seconds', async () => {
  const clock = fakeClock()
  const signals: AbortSignal[] = []
  const fetchJson = async (uri: string, signal: AbortSignal) => {
    signals.push(signal)
    if (uri !== discoveryUri) return new Promise(() => {})
    clock.advance(4_999)
    return document
  }
  const config = policyOf({ issuer, audience: 'a' })
  const found = keySet(config, clock, fetchJson, () => {}).find('a', live)
  setImmediate(() => clock.advance(1))
  await expect(found).rejects.toMatchObject({ code: 'issuer_unavailable' })
  expect(signals.map(({ aborted }) => aborted)).toEqual([true, true])
  expect(clock.scheduled()).toBe(0)
})

test.each([
  ['https://id.example', 'https://id.example/.well-known/openid-configuration'],
  ['https://id.example/', 'https://id.example/.well-known/openid-configuration'],
  ['https://id.example/a', 'https://id.example/a/.well-known/openid-configuration'],
  ['https://id.example/a/', 'https://id.example/a/.well-known/openid-configuration'],
])('the discovery document of %s is at %s', async (named, at) => {
  const { fetchJson } = fakeWeb({ [at]: { ...document, issuer: named } })
  expect(await discoverJwksUri(named, fetchJson, live)).toBe(document.jwks_uri)
})

test.each([
  undefined,
  null,
  [document],
  { ...document, issuer: undefined },
  { ...document, issuer: `${issuer}/` },
  { ...document, issuer: 'https://ID.example' },
  { ...document, issuer: 'https://evil.example' },
  { ...document, jwks_uri: undefined },
  { ...document, jwks_uri: 'http://keys.example/jwks' },
  { ...document, jwks_uri: 'https://user:password@keys.example/jwks' },
  { ...document, jwks_uri: ['https://keys.example/jwks'] },
])('%j is not a discovery document of the issuer, and nothing else is fetched', async found => {
  const { requested, fetchJson } = fakeWeb({ [discoveryUri]: found })
  await expect(discoverJwksUri(issuer, fetchJson, live)).rejects.toThrow(/discovery document|jwks_uri/)
  expect(requested).toEqual([discoveryUri])
})
