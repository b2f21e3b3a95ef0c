import { Buffer } from 'node:buffer'
import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import type { ApiRequest } from '../../lib/http/request.ts'
import { audience, good, issuer } from '../auth/vectors/scene.ts'
import { authorization, sendRaw } from './raw-events.ts'
import { answersTo, invalidToken, mapValues, type Rows, refusesAll, service } from './refusals.ts'

const trusted = { issuer, audience, jwks: good.jwks }
const scope = 'saml-providers:read saml-providers:delete'
const token = good.sign({ scope })
/** More than any front door lets through; a pattern that goes back and forth would not end on it. */
const size = 10_240
const long = (unit: string) => unit.repeat(size / unit.length)
const slowMs = 2_000

const hugeCredentials: Rows = {
  letters: authorization(`Bearer ${long('a')}`),
  dots: authorization(`Bearer ${long('.')}`),
  padding: authorization(`Bearer ${long('=')}`),
  'padding and a blank': authorization(`Bearer ${long('a=')} x`),
  blanks: authorization(`Bearer ${long(' ')}x y`),
  commas: authorization(`Bearer ${long(', ')}`),
  'a good token and more': authorization(`Bearer ${token}${long('A')}`),
  'a thousand lines': authorization(...Array.from({ length: 1_000 }, () => `Bearer ${token}`)),
}

test(
  'a huge credential is refused like any other',
  async () => {
    await refusesAll(await service(trusted), hugeCredentials, invalidToken)
  },
  slowMs,
)

const hugeLines: Record<string, [string, string]> = {
  'letters in Prefer': ['Prefer', long('x')],
  'letters and a foreign one in Prefer': ['Prefer', `${long('x')}@`],
  'quotes in Prefer': ['Prefer', long('"')],
  'backslashes in an open quote': ['Prefer', `wait="${long('\\')}`],
  'escaped quotes in an open quote': ['Prefer', `x="${long('\\"')}`],
  'parameters in Prefer': ['Prefer', long('x;')],
  'commas in Prefer': ['Prefer', long(',')],
  'blanks after wait': ['Prefer', `wait${long(' ')}x`],
  'tabs as a wait': ['Prefer', `wait=${long('\t')}`],
  'codings in Accept-Encoding': ['Accept-Encoding', long('x,')],
  'semicolons in Accept-Encoding': ['Accept-Encoding', long(';')],
  'weights in Accept-Encoding': ['Accept-Encoding', `x${long(';q=0')}`],
  'tabs in Accept-Encoding': ['Accept-Encoding', long('\t')],
  'a cookie': ['Cookie', long('a=b;')],
  'a header nobody knows': ['X-Anything', long('é')],
}

test(
  'a line of 10 KB changes nothing where it is not understood',
  async () => {
    await changeNothing(
      mapValues(hugeLines, ([name, value]) => event => {
        event.multiValueHeaders[name] = [value]
      }),
    )
  },
  slowMs,
)

test(
  'a thousand lines change nothing where they are not understood',
  async () => {
    const lines = Array.from({ length: 1_000 }, (_, i) => `x-${i}; y="z"`)
    await changeNothing({
      Prefer: event => {
        event.multiValueHeaders.Prefer = lines
      },
      'Accept-Encoding': event => {
        event.multiValueHeaders['Accept-Encoding'] = lines
      },
    })
  },
  slowMs,
)

const others = (count: number) => Array.from({ length: count }, (_, i) => `s${i}`)
test(
  'a right counts among thousands of scopes, and thousands of others give none',
  async () => {
    const w = await service(trusted)
    const powerful: Rows = {
      'in scope': { token: good.sign({ scope: [...others(1_000), scope].join(' ') }) },
      'in scp': { token: good.sign({ scp: [...others(600), ...scope.split(' ')] }) },
      'in permissions': { token: good.sign({ permissions: [...others(600), ...scope.split(' ')] }) },
      'among blanks': { token: good.sign({ scope: `${' '.repeat(2_000)}${scope}` }) },
    }
    const powerless: Rows = {
      'in scope': { token: good.sign({ scope: others(1_000).join(' ') }) },
      'in scp': { token: good.sign({ scp: others(600) }) },
      'in permissions': { token: good.sign({ permissions: others(600) }) },
      'names of properties': { token: good.sign({ scope: '__proto__ constructor has size' }) },
    }
    for (const { status } of Object.values(await answersTo(w, powerless))) expect(status).toBe(403)
    for (const { status } of Object.values(await answersTo(w, powerful))) expect(status).toBe(200)
  },
  slowMs,
)

const paths = { digits: long('7'), blanks: `7${long(' ')}`, zeros: `${long('0')}7`, folders: long('../') }
const odd = { NUL: '7\0', 'an escaped NUL': '7%00', 'a sign': '-7', 'a wide digit': '７', nothing: '' }

test(
  'a path that names no provider is 404, whatever it names',
  async () => {
    const w = await service(trusted)
    const codes: Record<string, string> = {}
    for (const [name, id] of Object.entries({ ...paths, ...odd }))
      codes[name] = (await w.remove(id, { token })).json().code
    expect(codes).toEqual(mapValues(codes, () => 'provider_not_found'))
  },
  slowMs,
)

const bodies: Record<string, { body: string; isBase64Encoded?: boolean; coding?: string }> = {
  'no JSON': { body: '{"saml_provider_id":' },
  huge: { body: 'x'.repeat(6_000_000) },
  'huge in base64': { body: Buffer.alloc(4_500_000).toString('base64'), isBase64Encoded: true },
  'no base64': { body: '\u0000%%%', isBase64Encoded: true },
  'what unfolds to 50 MB': {
    body: gzipSync(Buffer.alloc(50_000_000)).toString('base64'),
    isBase64Encoded: true,
    coding: 'gzip',
  },
  'in a coding that nobody knows': { body: 'x', coding: 'x-unknown' },
}

test(
  'a request body changes nothing, whatever it is',
  async () => {
    await changeNothing(
      mapValues(bodies, ({ body, isBase64Encoded = false, coding = 'identity' }) => event => {
        Object.assign(event, { body, isBase64Encoded })
        event.multiValueHeaders['Content-Type'] = ['application/json']
        event.multiValueHeaders['Content-Encoding'] = [coding]
      }),
    )
  },
  slowMs,
)

test('a request body is not even looked at', async () => {
  let looks = 0
  await changeNothing({
    'a body that counts who looks': event => {
      Object.defineProperty(event, 'body', { get: () => void looks++ })
    },
  })
  expect(looks).toBe(0)
})

/** Each changed request gets the very answer of the unchanged one. */
async function changeNothing(changes: Record<string, (event: ApiRequest) => void>) {
  const w = await service(trusted)
  const asked = authorization(`Bearer ${token}`)
  const plain = await sendRaw(w, asked, () => {})
  expect(plain.map(({ statusCode }) => statusCode)).toEqual([200, 404])
  const answers: Record<string, unknown> = {}
  for (const [name, change] of Object.entries(changes)) answers[name] = await sendRaw(w, asked, change)
  expect(answers).toEqual(mapValues(answers, () => plain))
}
