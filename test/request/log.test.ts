import { expect, test } from 'vitest'
import { listSamlProviders } from '../../functions/list-saml-providers.ts'
import { Failure } from '../../lib/domain/failure.ts'
import { warmUp } from '../../lib/lambda.ts'
import { apiRequest } from '../support/api-request.ts'
import { userId } from '../support/samples.ts'
import { fetchedKeys, world } from '../support/world.ts'
import { untouched, worldOf } from './scenario.ts'

const service = untouched({ VERSION: '1.2.3+abc' })

test.each([
  ['a client', { client_id: 'old-client', sub: userId(1) }, 'old-client', 'old-client'],
  ['a machine client whose token names none', { sub: 'nightly-job' }, undefined, '<unnamed>'],
  ['a stored user whose token names none', { sub: userId(1) }, undefined, '<unnamed>'],
  ['without the right, no count', { client_id: 'anybody', scope: '' }, 'anybody', undefined],
  ['without the right, no count of unnamed ones', { scope: '' }, undefined, undefined],
  ['of a disabled user, no count', { client_id: 'theirs', sub: userId(2) }, 'theirs', undefined],
])('the log has the client as the token names it: %s', async (_, claims, name, counted) => {
  const w = service()
  const token = w.token({ sub: 'x', ...claims })
  await w.list({ token })
  const answered = w.logged.at(-1)
  expect(answered).toMatchObject({ event: 'request_answered', request_id: 'request-1' })
  expect([answered?.client_id, answered?.client]).toEqual([name, counted])
  expect(answered?.subject).toBe('sub' in claims ? claims.sub : 'x')
  expect(JSON.stringify(answered)).not.toContain(token.slice(-40))
})

test('the log has one line for each answer', async () => {
  const w = await worldOf(2)
  await w.remove(7, { token: w.token({ client_id: 'own-client', sub: userId(0) }) })
  await w.remove(7, { token: w.token({ client_id: 'old-client' }) })
  await w.remove(7, { token: w.token({ azp: 'other-client', sub: 'someone' }) })
  await w.remove(7, { more: [['Prefer', 'wait=0']] })
  await w.remove(8)
  await w.list()
  w.deps.listProviders = () => Promise.reject(new Failure('table_busy'))
  await w.list()
  const facts = ['event', 'code', 'client', 'provider_id', 'affected_total', 'unlinked']
  const lines = w.logged.map(line => facts.flatMap(name => line[name] ?? []).join(' '))
  expect(lines).toEqual([
    'request_answered own_provider own-client',
    'removal_started 7 2',
    'users_unlinked 7 2 2',
    'removal_finished 7 2 2',
    'request_answered old-client',
    'removal_replayed 7 2',
    'request_answered other-client',
    'request_answered wait_expired',
    'request_answered provider_not_found <unnamed>',
    'request_answered <unnamed>',
    'table_busy',
    'request_answered table_busy <unnamed>',
  ])
  const ids = { request_id: 'request-1', deployment: w.config.deployment }
  for (const line of w.logged) expect(line).toMatchObject(ids)
  const bySubject = ['removal_started', 'removal_replayed'] as const
  const subjects = bySubject.flatMap(name => w.loggedAs(name).map(({ subject }) => subject))
  expect(subjects).toEqual(['machine', 'someone'])
})

test('a failed fetch of keys is logged once for several requests', async () => {
  const w = await world(fetchedKeys)
  for (let requests = 0; requests < 3; requests++) expect((await w.list()).status).toBe(503)
  expect(w.loggedAs('key_fetch_failed')).toMatchObject([
    {
      request_id: 'request-1',
      issuer: 'https://issuer.example',
      reason: 'https://issuer.example/jwks: tests have no network',
    },
  ])
})

test('a failed fetch of keys at a start is of no deployment, so that no metric counts it', async () => {
  const w = await world(fetchedKeys)
  await warmUp(w.deps)
  const [fetched] = w.loggedAs('key_fetch_failed')
  expect(fetched).toBeDefined()
  expect(fetched).not.toHaveProperty('deployment')
})

test('only the first request of an environment is a cold start', async () => {
  const w = service()
  const handle = listSamlProviders(w.deps) as unknown as (event: unknown, context: object) => Promise<unknown>
  const headers: [string, string][] = [['Authorization', `Bearer ${w.token()}`]]
  for (let requests = 0; requests < 2; requests++) {
    const event = apiRequest({ resource: '/api/v2/saml', headers }, w.clock.nowMs() - 40)
    await handle(event, { functionName: 'the-function' })
  }
  const facts = { event: 'request_answered', function: 'the-function', duration_ms: 40, version: '1.2.3+abc' }
  expect(w.logged.slice(-2)).toMatchObject([
    { ...facts, cold_start: true },
    { ...facts, cold_start: false },
  ])
})
