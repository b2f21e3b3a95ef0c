import { describe, expect, test } from 'vitest'
import { userItem } from '../../lib/store/items.ts'
import { sampleProvider, sampleUser } from '../support/samples.ts'
import { scopes, type World, world } from '../support/world.ts'

/** One of each kind of answer, success and failure, from both endpoints. */
const kinds: [string, (w: World) => ReturnType<World['list']>][] = [
  ['the list', w => w.list()],
  ['a removal', w => w.remove(7)],
  ['a removal of an unknown provider', w => w.remove(99)],
  ['no credentials', w => w.list({ headers: [] })],
  ['a rejected token', w => w.remove(7, { token: 'a.b.c' })],
  ['a missing scope', w => w.remove(7, { token: w.token({ scope: scopes.read }) })],
  ['a wait of 0', w => w.list({ more: [['Prefer', 'wait=0']] })],
]

describe('every answer', () => {
  test.each(kinds)('%s carries the common headers and the deprecation kit', async (_, send) => {
    const w = await world({
      SUNSET_AT: '2027-06-30T00:00:00Z',
      DOCUMENTATION_URL: 'https://docs.example/migrate',
    })
    await w.putProvider(sampleProvider(7), [sampleUser(1, { saml: 7 })])
    const { headers } = await send(w)
    expect(headers).toMatchObject({
      'Cache-Control': 'no-store',
      'X-Content-Type-Options': 'nosniff',
      'Strict-Transport-Security': expect.stringMatching(/^max-age=\d+/),
      Vary: 'Prefer, Accept-Encoding',
      'X-Request-Id': 'request-1',
      Deprecation: '@1735689600',
      Sunset: 'Wed, 30 Jun 2027 00:00:00 GMT',
      Link: '</api/v2/sso-providers>; rel="successor-version", <https://docs.example/migrate>; rel="deprecation"; type="text/html"',
    })
  })

  test.each(kinds)(
    '%s has no Sunset and no documentation link unless they are configured',
    async (_, send) => {
      const w = await world()
      const { headers } = await send(w)
      expect(headers).not.toHaveProperty('Sunset')
      expect(headers.Link).toBe('</api/v2/sso-providers>; rel="successor-version"')
    },
  )

  test.each(kinds)('%s is application/json on success, else a problem', async (_, send) => {
    const w = await world()
    await w.putProvider(sampleProvider(7))
    const { status, headers, json } = await send(w)
    expect(headers['Content-Type']).toBe(status === 200 ? 'application/json' : 'application/problem+json')
    if (status !== 200)
      expect(json()).toEqual({
        type: 'about:blank',
        title: expect.stringMatching(/./),
        status,
        detail: expect.stringMatching(/./),
        code: expect.stringMatching(/^[a-z_]+$/),
        request_id: 'request-1',
      })
  })

  test('links a successor on another host', async () => {
    const w = await world({ SUCCESSOR_PATH: 'https://api.example.com/v2/sso-providers' })
    await w.putProvider(sampleProvider(7, 70))
    expect((await w.remove(7)).headers.Link).toBe(
      '<https://api.example.com/v2/sso-providers>; rel="successor-version", <https://api.example.com/v2/sso-providers/70>; rel="successor-version"',
    )
  })

  test('about a provider links the successor of that provider, on success and on failure', async () => {
    const w = await world()
    await w.putProvider(sampleProvider(7, 70), [sampleUser(1, { saml: 7 })])
    const links =
      '</api/v2/sso-providers>; rel="successor-version", </api/v2/sso-providers/70>; rel="successor-version"'
    const refused = await w.remove(7, { token: w.token({ sub: sampleUser(1).id }) })
    expect([refused.status, refused.headers.Link]).toEqual([409, links])
    expect((await w.remove(7)).headers.Link).toBe(links)
  })

  test('has Retry-After exactly when it is a 503', async () => {
    const w = await world()
    for (const [, send] of kinds) {
      const { status, headers } = await send(w)
      expect('Retry-After' in headers).toBe(status === 503)
    }
  })

  test('is logged without the token', async () => {
    const w = await world()
    const token = w.token({ client_id: 'old-client' })
    await w.list({ token })
    expect(w.logged).toContainEqual(
      expect.objectContaining({
        event: 'request_answered',
        status: 200,
        client: 'old-client',
        request_id: 'request-1',
      }),
    )
    expect(JSON.stringify(w.logged)).not.toContain(token.slice(-40))
  })
})

test('an unexpected error is a 500 without details, which only the log has', async () => {
  const w = await world()
  w.deps.listProviders = () => Promise.reject(new TypeError('secret detail'))
  const answer = await w.list()
  expect([answer.status, answer.json().code]).toEqual([500, 'internal_error'])
  expect(answer.text).not.toContain('secret')
  expect(w.logged).toContainEqual(
    expect.objectContaining({ event: 'unexpected_error', message: 'secret detail' }),
  )
})

describe('the log shows', () => {
  test.each([
    ['the client that the token names', { client_id: 'old-client', sub: sampleUser(1).id }, 'old-client'],
    ['a machine client whose token names no client as unnamed', { sub: 'nightly-job' }, 'unnamed'],
    ['a stored user whose token names no client as unnamed', { sub: sampleUser(1).id }, 'unnamed'],
    ['a user who is not stored as unnamed', { sub: sampleUser(2).id }, 'unnamed'],
    ['a client with malformed names as unnamed', { sub: 'x', client_id: '', azp: 7, cid: ['x'] }, 'unnamed'],
    ['a caller without the scope as unnamed', { sub: 'x', scope: '' }, 'unnamed'],
  ])('%s', async (_, claims, shown) => {
    const w = await world()
    await w.put(userItem(sampleUser(1)))
    await w.list({ token: w.token(claims) })
    expect(w.logged).toContainEqual(
      expect.objectContaining({ event: 'request_answered', client: shown, subject: claims.sub }),
    )
  })
})
