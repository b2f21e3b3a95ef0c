import { beforeAll, expect, test } from 'vitest'
import type { ApiAnswer, ApiRequest } from '../../lib/http/request.ts'
import { systemTimeOf } from '../auth/system-time.ts'
import { audience, clock, good, issuer } from '../auth/token/vectors/fixtures.ts'
import { accepts, authorization, forbids, invalidToken, refuses, sendRaw } from './refusals.ts'
import { untouched } from './untouched.ts'

systemTimeOf(clock)

const service = untouched({ ISSUERS: JSON.stringify([{ issuer, audience, jwks: good.jwks }]) })
const scope = 'saml-providers:read saml-providers:delete'
const token = good.sign({ scope })
/** API Gateway's limit. A regular expression with catastrophic backtracking would exceed the test's time limit. */
const sizeBytes = 10_240
const long = (unit: string) => unit.repeat(sizeBytes / unit.length)

test.each<[string, ...string[]]>([
  ['dots', `Bearer ${long('.')}`],
  ['padding', `Bearer ${long('=')}`],
  ['blanks', `Bearer ${long(' ')}x y`],
  ['a good token and more', `Bearer ${token}${long('A')}`],
  ['a thousand lines', ...Array.from({ length: 1_000 }, () => `Bearer ${token}`)],
])('a huge credential of %s is refused as any other', (_, ...lines) =>
  refuses(service(), authorization(...lines), invalidToken),
)

test.each([
  ['Prefer', long('x')],
  ['Prefer', long('"')],
  ['Prefer', `wait="${long('\\')}`],
  ['Prefer', `x="${long('\\"')}`],
  ['Prefer', long('x;')],
  ['Prefer', `wait${long(' ')}x`],
  ['Prefer', `wait=${long('\t')}`],
  ['Accept-Encoding', long('x,')],
  ['Accept-Encoding', `x${long(';q=0')}`],
  ['Accept-Encoding', long('\t')],
  ...['Prefer', 'Accept-Encoding'].map(name => [name, ...Array(1_000).fill('x-0; y="z"')]),
] as [string, ...string[]][])('10 KB of one header change nothing: %s: %.20s', (name, ...values) =>
  changesNothing(event => {
    event.multiValueHeaders[name] = values
  }),
)

const others = Array.from({ length: 1_000 }, (_, i) => `s${i}`).join(' ')

test('a scope after a thousand others is found', () =>
  accepts(service(), { token: good.sign({ scope: `${others} ${scope}` }) }))

test.each([others, '__proto__ constructor has size'])('the scopes %.30s give no access', granted =>
  forbids(service(), { token: good.sign({ scope: granted }) }),
)

test('a request body is not read, and changes nothing', async () => {
  let reads = 0
  await changesNothing(event => {
    Object.defineProperty(event, 'body', { get: () => void reads++ })
    event.multiValueHeaders['Content-Type'] = ['application/json']
    event.multiValueHeaders['Content-Encoding'] = ['gzip']
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
