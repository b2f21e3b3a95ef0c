import { describe, expect, test } from 'vitest'
import { listSamlProviders } from '../../functions/list-saml-providers.ts'
import type { ApiAnswer } from '../../lib/http/request.ts'
import { events, jsonLines, type LogEvent } from '../../lib/log.ts'
import { metrics, namespace } from '../../lib/metrics.ts'
import { apiRequest } from '../support/api-request.ts'
import { sampleProvider, sampleUser } from '../support/samples.ts'
import { world } from '../support/world.ts'

/** The parsed line of an event. */
function log(event: LogEvent, facts: Record<string, string | number | boolean | undefined>) {
  const lines: string[] = []
  jsonLines(
    line => lines.push(line),
    () => 1_700_000_000_123,
  )(event, facts)
  expect(lines).toHaveLength(1)
  expect(lines[0]).toMatch(/^\{[^\n]+\}\n$/)
  return JSON.parse(lines[0] ?? '')
}

const metricsOf = (line: { _aws?: { CloudWatchMetrics: Directive[] } }) =>
  Object.fromEntries(
    (line._aws?.CloudWatchMetrics ?? []).map(({ Metrics, Dimensions }) => [Metrics[0]?.Name, Dimensions]),
  )
interface Directive {
  Namespace: string
  Dimensions: string[][]
  Metrics: { Name: string; Unit: string }[]
}

const answered = { function: 'list', status: 200, duration_ms: 12, cold_start: false }

describe('a line', () => {
  test('is one JSON object that begins with time, level and event', () => {
    const line = log('token_rejected', { request_id: 'r', reason: 'line\nbreak' })
    expect(Object.entries(line)).toEqual([
      ['timestamp', '2023-11-14T22:13:20.123Z'],
      ['level', 'INFO'],
      ['event', 'token_rejected'],
      ['request_id', 'r'],
      ['reason', 'line\nbreak'],
    ])
  })

  test('contains the metrics of its event', () => {
    expect(log('request_answered', { ...answered, client: 'old-client' })).toMatchObject({
      ...{ client: 'old-client', Requests: 1, DurationMs: 12, ColdStarts: 0 },
      _aws: {
        Timestamp: 1_700_000_000_123,
        CloudWatchMetrics: [
          {
            Namespace: namespace,
            Dimensions: [['function'], ['function', 'client']],
            Metrics: [{ Name: 'Requests', Unit: 'Count' }],
          },
          { Dimensions: [['function']], Metrics: [{ Name: 'DurationMs', Unit: 'Milliseconds' }] },
          { Dimensions: [['function']], Metrics: [{ Name: 'ColdStarts', Unit: 'Count' }] },
        ],
      },
    })
  })

  test('has no metric with a dimension without a value', () => {
    expect(metricsOf(log('request_answered', answered))).not.toHaveProperty('Errors')
    expect(metricsOf(log('request_answered', answered)).Requests).toEqual([['function']])
    expect(metricsOf(log('request_answered', { ...answered, code: 'wait_expired' })).Errors).toEqual([
      ['function', 'code'],
    ])
    expect(log('request_answered', { ...answered, function: undefined })).not.toHaveProperty('_aws')
    expect(metricsOf(log('users_unlinked', { function: 'delete' }))).toEqual({})
  })

  test.each([
    [200, undefined, []],
    [200, 'table_busy', []], // it was cut
    [400, 'token_rejected', ['Answers4xx']],
    [499, 'token_rejected', ['Answers4xx']],
    [500, 'internal_error', ['Answers5xx']],
    [503, 'table_busy', ['Answers5xx']],
  ])('with the status %i and the code %s counts as %j', (status, code, names) => {
    const counted = Object.keys(metricsOf(log('request_answered', { ...answered, status, code })))
    expect(counted.filter(name => /^Answers/.test(name))).toEqual(names)
  })

  test.each([
    ['a client', 'a client'],
    ['clié\ud800nt', 'cli??nt'],
    ['   ', '?'],
    ['x'.repeat(2000), 'x'.repeat(256)],
  ])('has a client that CloudWatch accepts as a dimension beside its name: %j', (client, kept) => {
    const line = log('request_answered', { ...answered, client_id: client, client })
    expect([line.client_id, line.client]).toEqual([client, kept])
  })
})

describe('the closed lists', () => {
  const fieldsOf = (event: string): readonly string[] => events[event as LogEvent].fields

  test.each(Object.entries(metrics))('the event of the metric %s has its fields', (name, metric) => {
    const fields = [...fieldsOf(metric.event), 'function']
    if ('field' in metric) expect(fields).toContain(metric.field)
    for (const dimension of metric.dimensions.flat()) expect(fields).toContain(dimension)
    expect(name).not.toMatch(/^[a-z_]+$/) // differs from every field
  })

  test('contain all events that removals and lists log', async () => {
    const w = await world()
    await w.putProvider(sampleProvider(7), [sampleUser(1, { saml: 7 }), sampleUser(2, { saml: 7 })])
    await w.remove(7, { token: w.token({ client_id: 'old-client' }) })
    await w.remove(7, { token: w.token({ azp: 'other-client', sub: 'someone' }) })
    await w.remove(7, { more: [['Prefer', 'wait=0']] })
    await w.remove(8, { token: w.token({ sub: 'a-machine' }) })
    await w.list({ token: w.token({ sub: sampleUser(1).id }) })
    const named = w.logged.map(({ event, code, client, provider_id, affected_total, newly_unlinked }) =>
      [event, code, client, provider_id, affected_total, newly_unlinked]
        .filter(one => one !== undefined)
        .join(' '),
    )
    expect(named).toEqual([
      'removal_started 7 2',
      'users_unlinked 7 2 2',
      'removal_finished 7 2',
      'request_answered old-client',
      'removal_replayed 7 2',
      'request_answered other-client',
      'budget_expired wait_expired',
      'request_answered wait_expired',
      'request_answered provider_not_found <unnamed>',
      'request_answered <unnamed>',
    ])
  })
})

test('a failed fetch of keys is logged with issuer and reason, once for several requests', async () => {
  const issuer = 'https://issuer.example'
  const fetching = { issuer, audience: 'administration', jwksUri: `${issuer}/jwks` }
  const w = await world({ ISSUERS: JSON.stringify([fetching]) })
  for (let requests = 0; requests < 3; requests++) expect((await w.list()).status).toBe(503)
  expect(w.logged.filter(({ event }) => event === 'key_fetch_failed')).toEqual([
    { event: 'key_fetch_failed', issuer, reason: 'tests have no network' },
  ])
})

test('each line of a request names its function, and only the first request of an environment is a cold start', async () => {
  const w = await world()
  const handle = listSamlProviders(w.deps) as unknown as (
    event: unknown,
    context: object,
  ) => Promise<ApiAnswer>
  const event = () =>
    apiRequest(
      { method: 'GET', resource: '/api/v2/saml', headers: [['Authorization', `Bearer ${w.token()}`]] },
      w.clock.nowMs() - 40,
    )
  await handle(event(), { functionName: 'the-function' })
  await handle(event(), { functionName: 'the-function' })
  expect(w.logged).toMatchObject([
    { event: 'request_answered', function: 'the-function', cold_start: true, duration_ms: 40 },
    { event: 'request_answered', function: 'the-function', cold_start: false, duration_ms: 40 },
  ])
})
