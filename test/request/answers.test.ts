import { describe, expect, test } from 'vitest'
import { Failure } from '../../lib/domain/failure.ts'
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

describe('the log has the client as the token names it, and as the metrics count it:', () => {
  const stored = sampleUser(1)
  test.each([
    ['a client', { client_id: 'old-client', sub: stored.id }, 'old-client', 'old-client'],
    ['a machine client whose token names none', { sub: 'nightly-job' }, undefined, '<unnamed>'],
    ['a stored user whose token names none', { sub: stored.id }, undefined, '<unnamed>'],
    ['a user who is not stored', { sub: sampleUser(2).id }, undefined, '<unnamed>'],
    ['malformed names', { sub: 'x', client_id: '', azp: 7, cid: ['x'] }, undefined, '<unnamed>'],
    ['a client that is called so', { client_id: '<unnamed>' }, '<unnamed>', '?unnamed>'],
    ['without the right, no count', { client_id: 'anybody', scope: '' }, 'anybody', undefined],
    ['without the right, no count of unnamed ones', { scope: '' }, undefined, undefined],
    ['of a disabled user, no count', { client_id: 'theirs', sub: sampleUser(3).id }, 'theirs', undefined],
  ])('%s', async (_, claims, name, counted) => {
    const w = await world()
    await w.put(userItem(stored), userItem({ ...sampleUser(3), is_disabled: true }))
    await w.list({ token: w.token({ sub: 'x', ...claims }) })
    const answered = w.logged.at(-1)
    expect([answered?.client_id, answered?.client]).toEqual([name, counted])
    expect(answered?.subject).toBe('sub' in claims ? claims.sub : 'x')
  })

  test('a client with the right whose request fails', async () => {
    const w = await world()
    const own = sampleUser(1, { saml: 7 })
    await w.putProvider(sampleProvider(7), [own])
    const token = w.token({ client_id: 'old-client', sub: own.id })
    expect([(await w.remove(8, { token })).status, (await w.remove(7, { token })).status]).toEqual([404, 409])
    w.deps.listProviders = () => Promise.reject(new Failure('table_busy'))
    expect((await w.list({ token })).status).toBe(503)
    const answered = w.logged.filter(({ event }) => event === 'request_answered')
    expect(answered.map(({ client }) => client)).toEqual(Array(3).fill('old-client'))
  })
})
