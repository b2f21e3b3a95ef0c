import { expect, test } from 'vitest'
import { discoverJwksUri } from '../../../lib/auth/keys/discovery.ts'
import { keySet } from '../../../lib/auth/keys/key-set.ts'
import { fakeClock } from '../../support/fake-clock.ts'
import { issuersOf } from '../issuers.ts'
import type { Members } from '../token/signer.ts'

const live = new AbortController().signal
const issuer = 'https://id.example'
const place = `${issuer}/.well-known/openid-configuration`
const document = { issuer, jwks_uri: 'https://keys.example/jwks' }
const noKeys = { keys: [] }

/** A web that publishes these documents, and what was asked of it. */
function web(published: Record<string, unknown>) {
  const asked: string[] = []
  const fetchJson = async (uri: string) => {
    asked.push(uri)
    return published[uri]
  }
  return { asked, fetchJson }
}

const keysOf = (config: Members, fetchJson: (uri: string) => Promise<unknown>) => {
  const [trusted] = issuersOf({ issuer, audience: 'a', ...config })
  if (trusted === undefined) throw new Error('no issuer')
  return keySet(trusted, fakeClock(), fetchJson)
}

test('an issuer is asked where its keys are, with each fetch anew', async () => {
  const published: Record<string, unknown> = { [place]: document, [document.jwks_uri]: noKeys }
  const { asked, fetchJson } = web(published)
  const keys = keysOf({}, fetchJson)
  await keys.find('a', () => true, live)
  published[place] = { ...document, jwks_uri: 'https://keys.example/moved' }
  published['https://keys.example/moved'] = noKeys
  await keys.find('b', () => true, live)
  expect(asked).toEqual([place, document.jwks_uri, place, 'https://keys.example/moved'])
})

test('a configured place is not asked for', async () => {
  const jwksUri = 'https://elsewhere.example/jwks'
  const { asked, fetchJson } = web({ [jwksUri]: noKeys })
  await keysOf({ jwksUri }, fetchJson).find('a', () => true, live)
  expect(asked).toEqual([jwksUri])
})

test('discovery passes the signal on', async () => {
  const signals: AbortSignal[] = []
  const fetchJson = async (_: string, signal: AbortSignal) => {
    signals.push(signal)
    return document
  }
  await discoverJwksUri(issuer, fetchJson, live)
  expect(signals).toEqual([live])
})

test.each([
  ['https://id.example', 'https://id.example/.well-known/openid-configuration'],
  ['https://id.example/', 'https://id.example/.well-known/openid-configuration'],
  ['https://id.example/a', 'https://id.example/a/.well-known/openid-configuration'],
  ['https://id.example/a/', 'https://id.example/a/.well-known/openid-configuration'],
])('%s is asked at %s', async (named, at) => {
  const { fetchJson } = web({ [at]: { ...document, issuer: named } })
  expect(await discoverJwksUri(named, fetchJson, live)).toBe(document.jwks_uri)
})

test.each([
  undefined,
  null,
  'x',
  [document],
  {},
  { ...document, issuer: undefined },
  { ...document, issuer: `${issuer}/` },
  { ...document, issuer: 'https://ID.example' },
  { ...document, issuer: 'https://evil.example' },
  { ...document, issuer: [issuer] },
  { ...document, jwks_uri: undefined },
  { ...document, jwks_uri: 'http://keys.example/jwks' },
  { ...document, jwks_uri: '/jwks' },
  { ...document, jwks_uri: 'file:///etc/passwd' },
  { ...document, jwks_uri: ['https://keys.example/jwks'] },
  { ...document, jwks_uri: null },
])('%j is no discovery document of the issuer, and nothing else is fetched', async found => {
  const { asked, fetchJson } = web({ [place]: found })
  await expect(discoverJwksUri(issuer, fetchJson, live)).rejects.toThrow(/discovery document|jwks_uri/)
  expect(asked).toEqual([place])
})
