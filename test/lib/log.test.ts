import { expect, test } from 'vitest'
import { events, jsonLines, type LogEvent } from '../../lib/log.ts'
import { metrics, namespace } from '../../lib/metrics.ts'

type Facts = Record<string, string | number | boolean | undefined>

/** The parsed line of an event. */
function log(event: LogEvent, facts: Facts) {
  const lines: string[] = []
  jsonLines(
    line => lines.push(line),
    () => 1_700_000_000_123,
  )(event, facts)
  expect(lines).toEqual([expect.stringMatching(/^\{[^\n]+\}\n$/)])
  return JSON.parse(lines[0] ?? '')
}

const answered = (facts: Facts = {}) => {
  const usual = { function: 'list', deployment: 'prod', status: 200, duration_ms: 12, cold_start: false }
  return log('request_answered', { ...usual, ...facts })
}

/** The dimension sets of the metrics of a line, by name. */
const metricsOf = (line: { _aws?: { CloudWatchMetrics: Directive[] } }): Record<string, string[][]> =>
  Object.fromEntries(
    (line._aws?.CloudWatchMetrics ?? []).map(({ Metrics: [metric], Dimensions }) => [
      metric.Name,
      Dimensions,
    ]),
  )
interface Directive {
  Dimensions: string[][]
  Metrics: [{ Name: string }]
}

test('a line of the log is one JSON object', () => {
  const line = log('token_rejected', { request_id: 'r', reason: 'line\nbreak' })
  expect(Object.entries(line)).toEqual([
    ['timestamp', '2023-11-14T22:13:20.123Z'],
    ['level', 'INFO'],
    ['event', 'token_rejected'],
    ['request_id', 'r'],
    ['reason', 'line\nbreak'],
  ])
})

test.each([
  ['token_rejected', 'INFO'],
  ['table_busy', 'WARN'],
  ['unexpected_error', 'ERROR'],
] as const)('a line of the log of %s has the level %s', (event, level) => {
  expect(log(event, {}).level).toBe(level)
})

test('a line of the log contains the metrics of its event', () => {
  const metric = (Name: string, Unit: string, Dimensions = [['deployment']]) => ({
    Namespace: namespace,
    Dimensions,
    Metrics: [{ Name, Unit }],
  })
  expect(answered({ client: 'old-client' })).toMatchObject({
    ...{ client: 'old-client', deployment: 'prod', Requests: 1 },
    _aws: {
      Timestamp: 1_700_000_000_123,
      CloudWatchMetrics: [metric('Requests', 'Count', [['deployment'], ['function', 'client']])],
    },
  })
  expect(log('removals_checked', { deployment: 'prod', oldest_age_seconds: 3000 })).toMatchObject({
    OldestUnfinishedRemovalSeconds: 3000,
    _aws: { CloudWatchMetrics: [metric('OldestUnfinishedRemovalSeconds', 'Seconds')] },
  })
})

test('a line of the log has no metric without a value', () => {
  expect(metricsOf(answered()).Requests).toEqual([['deployment']])
  expect(metricsOf(answered())).not.toHaveProperty('Errors')
  expect(metricsOf(answered({ code: 'wait_expired' })).Errors).toEqual([['deployment', 'code']])
  expect(answered({ deployment: undefined })).not.toHaveProperty('_aws')
  expect(metricsOf(log('removals_checked', { deployment: 'prod' }))).toEqual({})
  // An alarm counts failed fetches of keys, but not that of a start, which no caller needed.
  expect(metricsOf(log('key_fetch_failed', { deployment: 'prod' }))).toEqual({
    KeyFetchesFailed: [['deployment']],
  })
  expect(metricsOf(log('warm_up_failed', { deployment: 'prod' }))).toEqual({})
})

test.each([
  [200, []],
  [400, ['AnswersNot2xx']],
  [410, []],
  [499, ['AnswersNot2xx']],
  [500, ['Answers5xx', 'AnswersNot2xx']],
  [503, ['Answers5xx', 'AnswersNot2xx']],
])('a line of the log with the status %i counts as %j, whatever its code', (status, names) => {
  const counted = Object.keys(metricsOf(answered({ status, code: 'table_busy' })))
  expect(counted.filter(name => /^Answers/.test(name))).toEqual(names)
})

test.each([
  ['a client', 'a client'],
  ['clié\ud800nt', 'cli??nt'],
  ['   ', '?'],
  ['x'.repeat(2000), 'x'.repeat(256)],
])(
  'a line of the log has a client that CloudWatch accepts as a dimension beside its name: %j',
  (client, kept) => {
    const line = answered({ client_id: client, client })
    expect([line.client_id, line.client]).toEqual([client, kept])
  },
)

test('the event of each metric has its fields', () => {
  for (const [name, metric] of Object.entries(metrics)) {
    const fields = ['function', 'deployment', ...events[metric.event as LogEvent].fields]
    expect(fields, name).toEqual(expect.arrayContaining([metric.field ?? [], ...metric.dimensions].flat()))
    expect(name, 'differs from every field').not.toMatch(/^[a-z_]+$/)
    expect(metric.dimensions.flat(), 'each version would be billed').not.toContain('version')
  }
})
