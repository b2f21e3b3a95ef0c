import { Buffer } from 'node:buffer'
import { gzipSync } from 'node:zlib'
import { beforeAll, expect, test } from 'vitest'
import type { ApiAnswer, ApiRequest } from '../../lib/http/request.ts'
import { audience, good, issuer } from '../auth/token/vectors/fixtures.ts'
import { authorization, sendRaw } from './raw-events.ts'
import { accepts, forbids, invalidToken, type Rows, refuses } from './refusals.ts'
import { serviceFor } from './untouched.ts'

const service = serviceFor({ issuer, audience, jwks: good.jwks })
const scope = 'saml-providers:read saml-providers:delete'
const token = good.sign({ scope })
/** API Gateway's limit. A regular expression with catastrophic backtracking would exceed the test's time limit. */
const sizeBytes = 10_240
const long = (unit: string) => unit.repeat(sizeBytes / unit.length)

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

test.each(Object.entries(hugeCredentials))('a huge credential of %s is refused as any other', (_, request) =>
  refuses(service(), request, invalidToken),
)

const hugeLines: Record<string, [string, string]> = {
  'letters in Prefer': ['Prefer', long('x')],
  'letters and an @ in Prefer': ['Prefer', `${long('x')}@`],
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
  'an unknown header': ['X-Anything', long('é')],
}

test.each(Object.entries(hugeLines))('10 KB of %s change nothing', (_, [name, value]) =>
  changesNothing(event => {
    event.multiValueHeaders[name] = [value]
  }),
)

const thousandLines = Array.from({ length: 1_000 }, (_, i) => `x-${i}; y="z"`)

test.each(['Prefer', 'Accept-Encoding'])('a thousand unknown values of %s change nothing', name =>
  changesNothing(event => {
    event.multiValueHeaders[name] = thousandLines
  }),
)

const others = (count: number) => Array.from({ length: count }, (_, i) => `s${i}`)
const sufficient = {
  'at the end of scope': good.sign({ scope: [...others(1_000), scope].join(' ') }),
  'at the end of scp': good.sign({ scp: [...others(600), ...scope.split(' ')] }),
  'at the end of permissions': good.sign({ permissions: [...others(600), ...scope.split(' ')] }),
  'after thousands of blanks': good.sign({ scope: `${' '.repeat(2_000)}${scope}` }),
}
const insufficient = {
  'a thousand others in scope': good.sign({ scope: others(1_000).join(' ') }),
  'hundreds of others in scp': good.sign({ scp: others(600) }),
  'hundreds of others in permissions': good.sign({ permissions: others(600) }),
  'names of inherited properties': good.sign({ scope: '__proto__ constructor has size' }),
}

test.each(Object.entries(sufficient))('a scope %s is found', (_, token) => accepts(service(), { token }))

test.each(Object.entries(insufficient))('%s give no access', (_, token) => forbids(service(), { token }))

const paths = {
  digits: long('7'),
  'a number and blanks': `7${long(' ')}`,
  'zeros and a number': `${long('0')}7`,
  folders: long('../'),
  'a number and NUL': '7\0',
  'a number and an escaped NUL': '7%00',
  'a number with a sign': '-7',
  'a full-width digit': '７',
  'zero characters': '',
}

test.each(Object.entries(paths))('an id of %s names no provider', async (_, id) => {
  const answer = await service().remove(id, { token })
  expect([answer.status, answer.json().code]).toEqual([404, 'provider_not_found'])
})

const bodies: Record<string, { body: string; isBase64Encoded?: boolean; coding?: string }> = {
  'that is not JSON': { body: '{"saml_provider_id":' },
  'of 6 MB': { body: 'x'.repeat(6_000_000) },
  'of 6 MB in base64': { body: Buffer.alloc(4_500_000).toString('base64'), isBase64Encoded: true },
  'that is not base64': { body: '\u0000%%%', isBase64Encoded: true },
  'that decompresses to 50 MB': {
    body: gzipSync(Buffer.alloc(50_000_000)).toString('base64'),
    isBase64Encoded: true,
    coding: 'gzip',
  },
  'in an unknown coding': { body: 'x', coding: 'x-unknown' },
}

test.each(Object.entries(bodies))(
  'a request body %s changes nothing',
  (_, { body, isBase64Encoded = false, coding = 'identity' }) =>
    changesNothing(event => {
      Object.assign(event, { body, isBase64Encoded })
      event.multiValueHeaders['Content-Type'] = ['application/json']
      event.multiValueHeaders['Content-Encoding'] = [coding]
    }),
)

test('a request body is not read', async () => {
  let reads = 0
  await changesNothing(event => {
    Object.defineProperty(event, 'body', { get: () => void reads++ })
  })
  expect(reads).toBe(0)
})

const request = authorization(`Bearer ${token}`)
let unchanged: ApiAnswer[]
beforeAll(async () => {
  unchanged = await sendRaw(service(), request, () => {})
  expect(unchanged.map(({ statusCode }) => statusCode)).toEqual([200, 404])
})

/** Expects that the changed request gets the same answer as the unchanged one. */
async function changesNothing(change: (event: ApiRequest) => void) {
  expect(await sendRaw(service(), request, change)).toEqual(unchanged)
}
