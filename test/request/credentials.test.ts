import { Buffer } from 'node:buffer'
import { expect, test } from 'vitest'
import type { ApiRequest } from '../../lib/http/request.ts'
import { systemTimeOf } from '../auth/system-time.ts'
import { accepted } from '../auth/token/vectors/accepted.ts'
import { badClaims } from '../auth/token/vectors/claims.ts'
import { clock, good } from '../auth/token/vectors/fixtures.ts'
import { forged } from '../auth/token/vectors/forged.ts'
import { badFormat } from '../auth/token/vectors/format.ts'
import { badHeader } from '../auth/token/vectors/header.ts'
import { trusted } from '../auth/token/vectors/issuers.ts'
import { accepts, authorization, forbids, invalidToken, noCredentials, refuses, sendRaw } from './refusals.ts'
import { untouched } from './untouched.ts'

const service = untouched({ ISSUERS: JSON.stringify(trusted) })
const token = good.sign({ scope: 'saml-providers:read saml-providers:delete' })
systemTimeOf(clock)

const basic = `Basic ${Buffer.from('admin:admin').toString('base64')}`

test.each<[string, ...string[]]>([
  ['no header'],
  ['an empty header', ''],
  ['another scheme', basic],
  ['a scheme of two words', `JWT Bearer ${token}`],
  ['a scheme with the prefix Bearer', `BearerX ${token}`],
  ['a tab after the scheme', `Bearer\t${token}`],
  ['another scheme first in the line', `${basic}, Bearer ${token}`],
])('with %s there is no bearer credential', (_, ...lines) =>
  refuses(service(), authorization(...lines), noCredentials),
)

test.each(['Proxy-Authorization', 'Authorization2', 'Authorization '])(
  'a credential in the header %j is ignored',
  name => refuses(service(), { headers: [[name, `Bearer ${token}`]] }, noCredentials),
)

test.each<[string, ...string[]]>([
  ['no token', 'Bearer'],
  ['blanks as the token', 'Bearer   '],
  ['two tokens', `Bearer ${token} ${token}`],
  ['two lines', `Bearer ${token}`, `Bearer ${token}`],
  ['two lines, the first malformed', 'Bearer x', `Bearer ${token}`],
  ['two lines, the first of another scheme', basic, `Bearer ${token}`],
  ['two lines, the last of another scheme', `Bearer ${token}`, basic],
  ['two in one list', `Bearer ${token}, Bearer ${token}`],
  ['a parameter after it', `Bearer ${token};x=1`],
  ['a token in quotes', `Bearer "${token}"`],
  ['a token as a parameter', `Bearer token=${token}`],
  ['a token with padding', `Bearer ${token}==`],
  ['a token with a letter outside ASCII', `Bearer ${token}é`],
])('a bearer credential with %s is refused', (_, ...lines) =>
  refuses(service(), authorization(...lines), invalidToken),
)

test('credentials in two lines whose names differ in case are refused', () => {
  const headers: [string, string][] = ['Authorization', 'authorization'].map(name => [
    name,
    `Bearer ${token}`,
  ])
  return refuses(service(), { headers }, invalidToken)
})

test('credentials in any other part of the event are ignored', async () => {
  const credentials = { access_token: token, authorization: `Bearer ${token}` }
  const answers = await sendRaw(service(), { headers: [] }, event => {
    event.multiValueHeaders = { 'Content-Type': ['application/x-www-form-urlencoded'] }
    event.body = `access_token=${token}`
    event.queryStringParameters = event.stageVariables = credentials
    event.multiValueQueryStringParameters = { access_token: [token] }
    const claims = { sub: 'admin', scope: 'saml-providers:read saml-providers:delete' }
    event.requestContext.authorizer = { principalId: 'admin', claims }
  })
  expect(answers).toEqual(await sendRaw(service(), { headers: [] }, () => {}))
  expect(answers.map(({ body }) => JSON.parse(body).code)).toEqual(Array(2).fill('credentials_missing'))
})

test.each(['bearer', 'BEARER', 'bEaReR', 'Bearer  ', ' Bearer   '])('the scheme %j is accepted', scheme =>
  accepts(service(), authorization(`${scheme} ${token} `)),
)

test('the header name in lower case, as in HTTP/2, is accepted', () =>
  accepts(service(), { headers: [['authorization', `Bearer ${token}`]] }))

test("an event of API Gateway's console without headers has no credentials", async () => {
  const answers = await sendRaw(service(), { headers: [] }, event => {
    event.multiValueHeaders = null as unknown as ApiRequest['multiValueHeaders']
  })
  expect(answers.map(({ body }) => JSON.parse(body).code)).toEqual(Array(2).fill('credentials_missing'))
})

// Every vector is tested at the verifier; here, whole requests are.
const sample = (vectors: object): [string, string][] => Object.entries(vectors).filter((_, n) => n % 12 === 0)
const refused = [badFormat, badHeader, badClaims, forged].flatMap(sample)

test.each(refused)('%s is refused by both endpoints', (_, rejected) =>
  refuses(service(), { token: rejected }, invalidToken),
)

test.each(sample(accepted))('%s is valid, and lacks only the scope', (_, valid) =>
  forbids(service(), { token: valid }),
)
