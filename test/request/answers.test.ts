import { expect, test } from 'vitest'
import { sampleProvider, sampleUser, userId } from '../support/samples.ts'
import { world } from '../support/world.ts'
import { untouched, worldOf } from './scenario.ts'

const service = untouched({})
const retired = untouched({ RETIRED: 'true' })

test('every answer has the configured parts of the deprecation kit', async () => {
  const w = await worldOf(1, {
    SUNSET_AT: '2027-06-30T00:00:00Z',
    DOCUMENTATION_URL: 'https://docs.example/migrate',
  })
  for (const { headers } of [await w.list(), await w.remove(9), await w.list({ headers: [] })])
    expect(headers).toMatchObject({
      Deprecation: '@1735689600',
      Sunset: 'Wed, 30 Jun 2027 00:00:00 GMT',
      Link: '</api/v2/sso-providers>; rel="successor-version", <https://docs.example/migrate>; rel="deprecation"; type="text/html"',
    })
})

test('every answer has only the configured parts of the deprecation kit', async () => {
  for (const { headers } of [await service().list(), await service().remove(99)]) {
    expect(headers).not.toHaveProperty('Sunset')
    expect(headers.Link).toBe('</api/v2/sso-providers>; rel="successor-version"')
  }
})

test.each([
  ['/api/v2/sso-providers', 70],
  ['/api/v2/sso-providers', undefined],
  ['https://api.example.com/v2/sso-providers', -5],
])('an answer about a provider links its successor, if there is one: %s/%s', async (successor, id) => {
  const w = await world({ SUCCESSOR_PATH: successor })
  await w.putProvider(sampleProvider(7, id), [sampleUser(1, { saml: 7 })])
  const answers = [await w.remove(7, { token: w.token({ sub: userId(1) }) }), await w.remove(7)]
  const targets = id === undefined ? [successor] : [successor, `${successor}/${id}`]
  const links = targets.map(target => `<${target}>; rel="successor-version"`).join(', ')
  expect(answers.map(({ status, headers }) => [status, headers.Link])).toEqual([
    [409, links],
    [200, links],
  ])
})

test('a retired endpoint answers 410 to whoever has the right to call', async () => {
  const w = retired()
  const as = (claims: object) => ({ token: w.token({ client_id: 'old-client', ...claims }) })
  const answers = [
    await w.list(as({})),
    await w.remove(7, as({ sub: userId(2) })), // a disabled user
    await w.remove(7, as({ scope: '' })),
    await w.list({ headers: [] }),
  ]
  const counted = w.loggedAs('request_answered').map(({ client }) => client)
  expect(answers.map((answer, n) => [answer.json().code, counted[n]])).toEqual([
    ['endpoint_retired', 'old-client'],
    ['endpoint_retired', 'old-client'],
    ['scope_missing', undefined],
    ['credentials_missing', undefined],
  ])
})
