import { expect, test } from 'vitest'
import { keySource } from '../../lib/auth/keys/key-source.ts'
import { issuersOf } from './issuers.ts'
import type { Members } from './tokens.ts'

const live = new AbortController().signal
const issuer = 'https://id.example'
const document = { issuer, jwks_uri: 'https://keys.example/jwks' }

/** Fetches once from an issuer that publishes these, and says what was asked for. */
function fetched(published: Record<string, unknown>, config: Members = {}) {
  const [trusted] = issuersOf({ issuer, audience: 'a', ...config })
  if (trusted === undefined) throw new Error('no issuer')
  const asked: string[] = []
  const source = keySource(trusted, async (uri, signal) => {
    asked.push(uri)
    expect(signal).toBe(live)
    return published[uri]
  })
  return { asked, source }
}

test('an issuer is asked where its keys are, each time anew', async () => {
  const published: Record<string, unknown> = {
    [`${issuer}/.well-known/openid-configuration`]: document,
    'https://keys.example/jwks': 'keys',
    'https://keys.example/moved': 'new keys',
  }
  const { asked, source } = fetched(published)
  expect(await source(live)).toBe('keys')
  published[`${issuer}/.well-known/openid-configuration`] = {
    ...document,
    jwks_uri: 'https://keys.example/moved',
  }
  expect(await source(live)).toBe('new keys')
  expect(asked).toHaveLength(4)
})

test('a configured place is not asked for', async () => {
  const jwksUri = 'https://elsewhere.example/jwks'
  const { asked, source } = fetched({ [jwksUri]: 'keys' }, { jwksUri })
  expect(await source(live)).toBe('keys')
  expect(asked).toEqual([jwksUri])
})

test.each([
  ['https://id.example/', 'https://id.example/.well-known/openid-configuration'],
  ['https://id.example/a', 'https://id.example/a/.well-known/openid-configuration'],
  ['https://id.example/a/', 'https://id.example/a/.well-known/openid-configuration'],
])('%s is asked at %s', async (named, place) => {
  const found = { ...document, issuer: named }
  const { source } = fetched({ [place]: found, [document.jwks_uri]: 'keys' }, { issuer: named })
  expect(await source(live)).toBe('keys')
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
  const place = `${issuer}/.well-known/openid-configuration`
  const { asked, source } = fetched({ [place]: found })
  await expect(source(live)).rejects.toThrow(/discovery document|jwks_uri/)
  expect(asked).toEqual([place])
})
