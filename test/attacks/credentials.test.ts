import { Buffer } from 'node:buffer'
import { expect, test } from 'vitest'
import type { ApiRequest } from '../../lib/http/request.ts'
import { audience, good, issuer } from '../auth/token/vectors/scene.ts'
import { authorization, sendRaw } from './raw-events.ts'
import { invalidToken, letsIn, noCredentials, type Rows, refuses } from './refusals.ts'
import { serviceFor } from './untouched.ts'

const service = serviceFor({ issuer, audience, jwks: good.jwks })
const token = good.sign({ scope: 'saml-providers:read saml-providers:delete' })
const basic = `Basic ${Buffer.from('admin:admin').toString('base64')}`
const inHeader = (name: string, value = `Bearer ${token}`) => ({
  headers: [[name, value] as [string, string]],
})

const elsewhere: Rows = {
  'no header at all': { headers: [] },
  'an empty header': authorization(''),
  'blanks alone': authorization('   '),
  'another scheme': authorization(basic),
  'another scheme with the token': authorization(`Token ${token}`),
  'a scheme of two words': authorization(`JWT Bearer ${token}`),
  DPoP: authorization(`DPoP ${token}`),
  'a scheme that begins like it': authorization(`BearerX ${token}`),
  'a scheme that ends like it': authorization(`XBearer ${token}`),
  'a colon after the scheme': authorization(`Bearer: ${token}`),
  'an equals sign after the scheme': authorization(`Bearer=${token}`),
  'a tab after the scheme': authorization(`Bearer\t${token}`),
  'a scheme in quotes': authorization(`"Bearer" ${token}`),
  'a scheme with a foreign letter': authorization(`Веarer ${token}`),
  'no scheme': authorization(token),
  'another scheme first in the line': authorization(`${basic}, Bearer ${token}`),
  'another header': inHeader('X-Access-Token', token),
  'a header for proxies': inHeader('Proxy-Authorization'),
  'a header that a proxy adds': inHeader('X-Forwarded-Authorization'),
  'a header whose name begins like it': inHeader('Authorization2'),
  'a header whose name has a blank': inHeader('Authorization '),
  'a cookie': inHeader('Cookie', `access_token=${token}`),
}

const malformed: Rows = {
  'no token': authorization('Bearer'),
  'no token but blanks': authorization('Bearer   '),
  'two tokens': authorization(`Bearer ${token} ${token}`),
  'two lines': authorization(`Bearer ${token}`, `Bearer ${token}`),
  'two lines, the first garbled': authorization('Bearer x', `Bearer ${token}`),
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
  'a token with a foreign letter': authorization(`Bearer ${token}é`),
  'a token with a NUL': authorization(`Bearer ${token}\0`),
  'the scheme twice': authorization(`Bearer Bearer ${token}`),
}

test.each(Object.entries(elsewhere))('with %s there is no bearer credential', async (_, asked) => {
  await refuses(service(), asked, noCredentials)
})

test.each(Object.entries(malformed))('a bearer credential with %s is refused', async (_, asked) => {
  await refuses(service(), asked, invalidToken)
})

const outside: [string, (event: ApiRequest) => void][] = [
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
    'what an authorizer of the gateway says',
    event => {
      event.requestContext.authorizer = { principalId: 'admin', claims: { sub: 'admin', scope: 'all' } }
    },
  ],
  [
    'the variables of the stage',
    event => {
      event.stageVariables = { authorization: `Bearer ${token}` }
    },
  ],
]

test.each(outside)('nobody gets in by %s', async (_, change) => {
  const answers = await sendRaw(service(), { headers: [] }, change)
  const plain = await sendRaw(service(), { headers: [] }, () => {})
  for (const { statusCode, headers, body } of answers) {
    const told = [statusCode, JSON.parse(body).code, headers?.['WWW-Authenticate']]
    expect(told).toEqual([noCredentials.status, noCredentials.code, noCredentials.challenge])
  }
  expect(answers).toEqual(plain)
})

test.each(['bearer', 'BEARER', 'bEaReR', 'Bearer  ', ' Bearer   '])(
  'the scheme as %j gets in',
  async scheme => {
    await letsIn(service(), authorization(`${scheme} ${token} `))
  },
)

test('the header in the case of HTTP/2 gets in', async () => {
  await letsIn(service(), inHeader('authorization'))
})

test('the header from an event without its lines gets in', async () => {
  const answers = await sendRaw(service(), authorization(`Bearer ${token}`), event => {
    event.multiValueHeaders = null as unknown as ApiRequest['multiValueHeaders']
  })
  expect(answers.map(({ statusCode }) => statusCode)).toEqual([200, 404])
})
