import { afterEach, describe, expect, test, vi } from 'vitest'
import { Failure } from '../../lib/domain/failure.ts'
import { sampleProvider, sampleUser, userId } from '../support/samples.ts'
import { world } from '../support/world.ts'
import { headersOfEveryAnswer, migrating, untouched } from './scenario.ts'

const service = untouched({})

afterEach(() => void vi.restoreAllMocks())

describe('every answer', () => {
  test('carries the common headers and the deprecation kit', async () => {
    const w = await world(migrating)
    await w.putProvider(sampleProvider(7), [sampleUser(1, { saml: 7 })])
    for (const { status, headers } of [await w.list(), await w.remove(7), await w.remove(7)]) {
      expect([status, headers['Content-Type']]).toEqual([200, 'application/json'])
      expect(headers).toMatchObject({ ...headersOfEveryAnswer, Sunset: 'Wed, 30 Jun 2027 00:00:00 GMT' })
      expect(headers).not.toHaveProperty('Retry-After')
    }
  })

  test('has no Sunset and no documentation link unless they are configured', async () => {
    for (const { headers } of [await service().list(), await service().remove(99)]) {
      expect(headers).not.toHaveProperty('Sunset')
      expect(headers.Link).toBe('</api/v2/sso-providers>; rel="successor-version"')
    }
  })

  test.each([
    ['/api/v2/sso-providers', 70],
    ['https://api.example.com/v2/sso-providers', -5],
  ])('about a provider links its successor, on success and on failure: %s/%i', async (successor, id) => {
    const w = await world({ SUCCESSOR_PATH: successor })
    await w.putProvider(sampleProvider(7, id), [sampleUser(1, { saml: 7 })])
    const answers = [await w.remove(7, { token: w.token({ sub: userId(1) }) }), await w.remove(7)]
    const links = `<${successor}>; rel="successor-version", <${successor}/${id}>; rel="successor-version"`
    expect(answers.map(({ status, headers }) => [status, headers.Link])).toEqual([
      [409, links],
      [200, links],
    ])
  })
})

test('an unexpected error is a 500 without details, which only the log has', async () => {
  const w = service()
  vi.spyOn(w.deps, 'listProviders').mockRejectedValue(new TypeError('secret detail'))
  const answer = await w.list()
  expect([answer.status, answer.json().code]).toEqual([500, 'internal_error'])
  expect(answer.text).not.toContain('secret')
  expect(w.logged).toContainEqual(
    expect.objectContaining({ event: 'unexpected_error', message: 'secret detail' }),
  )
})

describe('the log has the client as the token names it, and as the metrics count it:', () => {
  test.each([
    ['a client', { client_id: 'old-client', sub: userId(1) }, 'old-client', 'old-client'],
    ['a machine client whose token names none', { sub: 'nightly-job' }, undefined, '<unnamed>'],
    ['a stored user whose token names none', { sub: userId(1) }, undefined, '<unnamed>'],
    ['a user who is not stored', { sub: userId(9) }, undefined, '<unnamed>'],
    ['without the right, no count', { client_id: 'anybody', scope: '' }, 'anybody', undefined],
    ['without the right, no count of unnamed ones', { scope: '' }, undefined, undefined],
    ['of a disabled user, no count', { client_id: 'theirs', sub: userId(2) }, 'theirs', undefined],
  ])('%s', async (_, claims, name, counted) => {
    const w = service()
    const token = w.token({ sub: 'x', ...claims })
    await w.list({ token })
    const answered = w.logged.at(-1)
    expect(answered).toMatchObject({ event: 'request_answered', request_id: 'request-1' })
    expect([answered?.client_id, answered?.client]).toEqual([name, counted])
    expect(answered?.subject).toBe('sub' in claims ? claims.sub : 'x')
    expect(JSON.stringify(answered)).not.toContain(token.slice(-40))
  })

  test('a client with the right whose request fails', async () => {
    const w = service()
    const token = w.token({ client_id: 'old-client', sub: userId(1) })
    expect([(await w.remove(8, { token })).status, (await w.remove(7, { token })).status]).toEqual([404, 409])
    vi.spyOn(w.deps, 'listProviders').mockRejectedValue(new Failure('table_busy'))
    expect((await w.list({ token })).status).toBe(503)
    const answered = w.logged.filter(({ event }) => event === 'request_answered').slice(-3)
    expect(answered.map(({ client }) => client)).toEqual(Array(3).fill('old-client'))
  })
})

describe('the sunset', () => {
  const retired = { SUNSET_AT: '2026-02-01T00:00:00Z', SUNSET_ENFORCED: 'true' }
  const untilSunsetMs = 86_400_000

  test('retires the endpoints from that instant when it is enforced', async () => {
    const w = await world(retired)
    w.clock.advance(untilSunsetMs - 1)
    expect((await w.list()).status).toBe(200)
    w.clock.advance(1)
    for (const answer of [await w.list(), await w.remove(7), await w.list({ headers: [] })])
      expect([answer.status, answer.json().code]).toEqual([410, 'endpoint_retired'])
  })

  test('changes nothing when it is not enforced', async () => {
    const w = await world({ ...retired, SUNSET_ENFORCED: 'false' })
    w.clock.advance(untilSunsetMs)
    expect((await w.list()).status).toBe(200)
  })
})
