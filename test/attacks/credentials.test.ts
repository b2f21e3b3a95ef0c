import { Buffer } from 'node:buffer'
import { expect, test } from 'vitest'
import type { ApiRequest } from '../../lib/http/request.ts'
import { audience, good, issuer } from '../auth/token/vectors/fixtures.ts'
import { authorization, sendRaw } from './raw-events.ts'
import { invalidToken, accepts, noCredentials, type Rows, refuses } from './refusals.ts'
import { serviceFor } from './untouched.ts'

const service = serviceFor({ issuer, audience, jwks: good.jwks })
const token = good.sign({ scope: 'saml-providers:read saml-providers:delete' })
const basic = `Basic ${Buffer.from('admin:admin').toString('base64')}`
const inHeader = (name: string, value = `Bearer ${token}`) => ({
  headers: [[name, value] as [string, string]],
})

const notBearer: Rows = {
  'no header': { headers: [] },
  'an empty header': authorization(''),
  'only blanks': authorization('   '),
  'another scheme': authorization(basic),
  'another scheme with the token': authorization(`Token ${token}`),
  'a scheme of two words': authorization(`JWT Bearer ${token}`),
  DPoP: authorization(`DPoP ${token}`),
  'a scheme with the prefix Bearer': authorization(`BearerX ${token}`),
  'a scheme with the suffix Bearer': authorization(`XBearer ${token}`),
  'a colon after the scheme': authorization(`Bearer: ${token}`),
  'an equals sign after the scheme': authorization(`Bearer=${token}`),
  'a tab after the scheme': authorization(`Bearer\t${token}`),
  'a scheme in quotes': authorization(`"Bearer" ${token}`),
  'a scheme with a Cyrillic letter': authorization(`Веarer ${token}`),
  'no scheme': authorization(token),
  'another scheme first in the line': authorization(`${basic}, Bearer ${token}`),
  'another header': inHeader('X-Access-Token', token),
  'Proxy-Authorization': inHeader('Proxy-Authorization'),
  'X-Forwarded-Authorization': inHeader('X-Forwarded-Authorization'),
  'a header with the prefix Authorization': inHeader('Authorization2'),
  'a header name with a trailing blank': inHeader('Authorization '),
  'a cookie': inHeader('Cookie', `access_token=${token}`),
}

const malformed: Rows = {
  'no token': authorization('Bearer'),
  'blanks as the token': authorization('Bearer   '),
  'two tokens': authorization(`Bearer ${token} ${token}`),
  'two lines': authorization(`Bearer ${token}`, `Bearer ${token}`),
  'two lines, the first malformed': authorization('Bearer x', `Bearer ${token}`),
  'two lines, the first of another scheme': authorization(basic, `Bearer ${token}`),
  'two lines, the last of another scheme': authorization(`Bearer ${token}`, basic),
  'two lines, the last empty': authorization(`Bearer ${token}`, ''),
  'two lines in different case': {
    headers: [
      ['Authorization', `Bearer ${token}`],
      ['authorization', `Bearer ${token}`],
    ],
  },
  'two in one list': authorization(`Bearer ${token}, Bearer ${token}`),
  'another scheme after it': authorization(`Bearer ${token}, ${basic}`),
  'a parameter after it': authorization(`Bearer ${token};x=1`),
  'a comma after it': authorization(`Bearer ${token},`),
  'a token in quotes': authorization(`Bearer "${token}"`),
  'a token in angle brackets': authorization(`Bearer <${token}>`),
  'a token as a parameter': authorization(`Bearer token=${token}`),
  'a token with padding': authorization(`Bearer ${token}==`),
  'a token with a letter outside ASCII': authorization(`Bearer ${token}é`),
  'a token with a NUL': authorization(`Bearer ${token}\0`),
  'the scheme twice': authorization(`Bearer Bearer ${token}`),
}

test.each(Object.entries(notBearer))('with %s there is no bearer credential', async (_, request) => {
  await refuses(service(), request, noCredentials)
})

test.each(Object.entries(malformed))('a bearer credential with %s is refused', async (_, request) => {
  await refuses(service(), request, invalidToken)
})

const otherSources: [string, (event: ApiRequest) => void][] = [
  [
    'the query',
    event => {
      event.queryStringParameters = { access_token: token }
      event.multiValueQueryStringParameters = { access_token: [token] }
    },
  ],
  [
    'the body',
    event => {
      event.multiValueHeaders['Content-Type'] = ['application/x-www-form-urlencoded']
      event.body = `access_token=${token}`
    },
  ],
  [
    'the context of an authorizer',
    event => {
      event.requestContext.authorizer = { principalId: 'admin', claims: { sub: 'admin', scope: 'all' } }
    },
  ],
  [
    'the stage variables',
    event => {
      event.stageVariables = { authorization: `Bearer ${token}` }
    },
  ],
]

test.each(otherSources)('a credential in %s is ignored', async (_, change) => {
  const answers = await sendRaw(service(), { headers: [] }, change)
  const plain = await sendRaw(service(), { headers: [] }, () => {})
  for (const { statusCode, headers, body } of answers) {
    const challenge = headers?.['WWW-Authenticate']
    expect([statusCode, JSON.parse(body).code, challenge]).toEqual([
      noCredentials.status,
      noCredentials.code,
      noCredentials.challenge,
    ])
  }
  expect(answers).toEqual(plain)
})

test.each(['bearer', 'BEARER', 'bEaReR', 'Bearer  ', ' Bearer   '])(
  'the scheme %j is accepted',
  async scheme => {
    await accepts(service(), authorization(`${scheme} ${token} `))
  },
)

test('the header name in lower case, as in HTTP/2, is accepted', async () => {
  await accepts(service(), inHeader('authorization'))
})

test('the header of an event without multiValueHeaders is accepted', async () => {
  const answers = await sendRaw(service(), authorization(`Bearer ${token}`), event => {
    event.multiValueHeaders = null as unknown as ApiRequest['multiValueHeaders']
  })
  expect(answers.map(({ statusCode }) => statusCode)).toEqual([200, 404])
})
