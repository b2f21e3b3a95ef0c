import { Buffer } from 'node:buffer'
import { expect, test } from 'vitest'
import type { ApiRequest } from '../../lib/http/request.ts'
import { audience, good, issuer } from '../auth/vectors/scene.ts'
import { authorization, sendRaw } from './raw-events.ts'
import { answersTo, invalidToken, noCredentials, type Rows, refusesAll, service } from './refusals.ts'

const trusted = { issuer, audience, jwks: good.jwks }
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

test('a token that is not sent as a bearer credential is not seen', async () => {
  await refusesAll(await service(trusted), elsewhere, noCredentials)
})

test('a bearer credential that is not one well-formed line is refused', async () => {
  await refusesAll(await service(trusted), malformed, invalidToken)
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
  const w = await service(trusted)
  const [listed, removed] = await sendRaw(w, { headers: [] }, change)
  for (const answer of [listed, removed]) {
    expect(answer?.statusCode).toBe(noCredentials.status)
    expect(JSON.parse(answer?.body ?? '').code).toBe(noCredentials.code)
    expect(answer?.headers?.['WWW-Authenticate']).toBe(noCredentials.challenge)
  }
})

test.each(['bearer', 'BEARER', 'bEaReR', 'Bearer  ', ' Bearer   '])(
  'the scheme as %j gets in',
  async scheme => {
    const answers = await answersTo(await service(trusted), { it: authorization(`${scheme} ${token} `) })
    expect(Object.values(answers).map(({ status }) => status)).toEqual([200, 200])
  },
)

test('the header in the case of HTTP/2, and from an event without its lines, gets in', async () => {
  const w = await service(trusted)
  expect((await w.list(inHeader('authorization'))).status).toBe(200)
  const [listed] = await sendRaw(w, authorization(`Bearer ${token}`), event => {
    event.multiValueHeaders = null as unknown as ApiRequest['multiValueHeaders']
  })
  expect(listed?.statusCode).toBe(200)
})
