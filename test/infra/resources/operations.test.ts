import { beforeAll, describe, expect, test } from 'vitest'
import { problemKinds } from '../../../lib/http/problem.ts'
import { commonFields, events } from '../../../lib/log.ts'
import { metrics } from '../../../lib/metrics.ts'
import { everythingOn, type Properties, packagedOnce } from '../serverless/packaged.ts'

const { properties } = packagedOnce('prod', everythingOn)
const queries = () => properties('AWS::Logs::QueryDefinition')

let dashboard = ''
let charts: Properties[] = []
let lastCallers = ''
beforeAll(() => {
  const [{ DashboardBody }] = properties('AWS::CloudWatch::Dashboard') as [Properties]
  dashboard = DashboardBody['Fn::Sub']
  charts = JSON.parse(dashboard).widgets.map((widget: Properties) => widget.properties)
  lastCallers = charts.find(({ query }) => query !== undefined)?.query
})
const linesOf = (title: string): Properties[][] => charts.find(chart => chart.title === title)?.metrics ?? []

describe('the dashboard', () => {
  test('shows every metric, by dimensions that it has', () => {
    const lines = dashboard.matchAll(/\["DeprecatedSamlEndpoints", "(\w+)", "(\w+)", "[^"]+", \{/g)
    const searches = dashboard.matchAll(/\{DeprecatedSamlEndpoints,([\w,]+)\} MetricName=\\"(\w+)/g)
    const shown = [
      ...[...lines].map(([, name = '', dimension]) => [name, dimension] as const),
      ...[...searches].map(([, dimensions, name = '']) => [name, dimensions] as const),
    ]
    expect(dashboard.split('DeprecatedSamlEndpoints').length - 1).toBe(shown.length)
    for (const [name, dimensions] of shown)
      expect(metrics[name as keyof typeof metrics]?.dimensions.map(String), name).toContain(dimensions)
    expect(new Set(shown.map(([name]) => name))).toEqual(new Set(Object.keys(metrics)))
  })

  test("shows metrics of AWS by the names in the services' guides, and those of the gateway by its name", () => {
    const [api] = properties('AWS::ApiGateway::RestApi')
    const gateway = ['ApiName', api?.Name, 'Stage', 'prod']
    const known: Record<string, RegExp> = {
      'AWS/ApiGateway': /^(Count|4XXError|5XXError|Latency|IntegrationLatency)$/,
      'AWS/DynamoDB': /^(Read|Write)ThrottleEvents$/,
      'AWS/Lambda': /^(Errors|Throttles)$/,
    }
    const lines = charts.flatMap(chart => chart.metrics ?? []).filter(([first]) => /^AWS/.test(first))
    expect(lines.length).toBeGreaterThan(5)
    for (const [service, name, ...rest] of lines) {
      expect(name).toMatch(known[service] as RegExp)
      if (service === 'AWS/ApiGateway') expect(rest.slice(0, 4)).toEqual(gateway)
    }
  })

  test("subtracts the functions' answers from the gateway's, and names each code of 401 and 403", () => {
    const hidden = linesOf('Between gateway and function').map(line => [line.at(-1)?.id, line[1]])
    expect(Object.fromEntries(hidden)).toMatchObject({
      ...{ refused: '4XXError', listRefused: 'Answers4xx', removeRefused: 'Answers4xx' },
      ...{ failed: '5XXError', listFailed: 'Answers5xx', removeFailed: 'Answers5xx' },
    })
    for (const expression of [
      'FILL(refused, 0) - FILL(listRefused, 0) - FILL(removeRefused, 0)',
      'FILL(failed, 0) - FILL(listFailed, 0) - FILL(removeFailed, 0)',
    ])
      expect(dashboard).toContain(`"${expression}"`)
    const codes = Object.entries(problemKinds).filter(([, { status }]) => status === 401 || status === 403)
    const quoted = codes.map(([code]) => `"${code}"`).join(' OR ')
    const [[search]] = linesOf('Refused by the functions: 401 and 403') as [[Properties]]
    expect(search.expression).toContain(` code=(${quoted})'`)
  })
})

test('each query uses existing events and fields', () => {
  expect(queries()).toHaveLength(3)
  const fields = [...commonFields, ...Object.values(events).flatMap(event => [...event.fields])]
  for (const query of [lastCallers, ...queries().map(({ QueryString }) => QueryString)]) {
    const given = [...query.matchAll(/ as (\w+)/g)].map(([, name]) => name)
    for (const [name] of query.replaceAll(/"[^"]*"/g, '').matchAll(/\b[a-z]+(_[a-z]+)+\b/g))
      expect([...fields, ...given], query).toContain(name)
    for (const [, event] of query.matchAll(/event(?: =|,) "(\w+)"/g)) expect(events).toHaveProperty(event)
  }
})

describe('each alarm', () => {
  const alarms = () => properties('AWS::CloudWatch::Alarm')

  test("describes its cause and the first step within CloudWatch's limit, and notifies the topic", () => {
    for (const { AlarmName, AlarmDescription, AlarmActions, OKActions, TreatMissingData } of alarms()) {
      expect(AlarmDescription).toMatch(/^[A-Z].{60,}\. First step: .{40,}\.$/)
      expect(AlarmDescription.length).toBeLessThanOrEqual(1024)
      expect([AlarmActions, OKActions]).toEqual([[everythingOn.alarmTopicArn], [everythingOn.alarmTopicArn]])
      // Missing data means that the scheduled function does not run.
      const isAlwaysReported = AlarmName.endsWith('removal-unfinished')
      expect(TreatMissingData).toBe(isAlwaysReported ? 'breaching' : 'notBreaching')
    }
  })

  // FILL: a metric without data gives the expression no value. `unanswered` is negative where the gateway's counts are
  // late, and must not hide a bug. 503s of the functions are among the gateway's 5xx.
  const expected: Record<string, Record<string, string>> = {
    'unexpected-error': {
      total:
        'SUM([FILL(listBug, 0), FILL(deleteBug, 0), FILL(listCrash, 0), FILL(deleteCrash, 0), FILL(finishCrash, 0)])' +
        ' + IF(unanswered > 0, unanswered, 0)',
      unanswered: 'FILL(failed, 0) - FILL(listFailed, 0) - FILL(deleteFailed, 0)',
      ...{ failed: 'Sum 5XXError', listFailed: 'Sum Answers5xx', deleteFailed: 'Sum Answers5xx' },
      ...{ listBug: 'Sum Errors internal_error', deleteBug: 'Sum Errors internal_error' },
      ...{ listCrash: 'Sum Errors', deleteCrash: 'Sum Errors', finishCrash: 'Sum Errors' },
    },
    'answer-cut': {
      total: 'SUM([FILL(lists, 0), FILL(removals, 0)])',
      ...{ lists: 'Sum AnswersCut', removals: 'Sum AnswersCut' },
    },
    'issuer-unavailable': {
      total: 'SUM([FILL(listCalls, 0), FILL(deleteCalls, 0)])',
      ...{ listCalls: 'Sum Errors issuer_unavailable', deleteCalls: 'Sum Errors issuer_unavailable' },
    },
    throttling: {
      total: 'SUM([FILL(reads, 0), FILL(writes, 0), FILL(listCalls, 0), FILL(deleteCalls, 0)])',
      ...{ reads: 'Sum ReadThrottleEvents', writes: 'Sum WriteThrottleEvents' },
      ...{ listCalls: 'Sum Throttles', deleteCalls: 'Sum Throttles' },
    },
    'membership-drift': {
      total: 'SUM([FILL(asked, 0), FILL(scheduled, 0)])',
      ...{ asked: 'Sum MembershipDrift', scheduled: 'Sum MembershipDrift' },
    },
    'slow-answers': {
      total: 'IF(FILL(requests, 0) >= 20, FILL(latency, 0), 0)',
      ...{ requests: 'SampleCount Count', latency: 'p50 Latency' },
    },
  }
  test.each(Object.keys(expected))('%s computes from the metrics', name => {
    const alarm = alarms().find(({ AlarmName }) => AlarmName.endsWith(name))
    const parts = alarm?.Metrics.map(({ Id, Expression, MetricStat }: Properties) => {
      const { MetricName, Dimensions = [] } = MetricStat?.Metric ?? {}
      const code = Dimensions.find(({ Name }: Properties) => Name === 'code')
      return [Id, Expression ?? [MetricStat.Stat, MetricName, code?.Value].filter(Boolean).join(' ')]
    })
    expect(Object.fromEntries(parts)).toEqual(expected[name])
  })

  test('refusal-flood rings above a tenth of the rate limit', () => {
    const [{ MethodSettings }] = properties('AWS::ApiGateway::Stage') as [Properties]
    expect(alarms().find(({ AlarmName }) => AlarmName.endsWith('refusal-flood'))).toMatchObject({
      ...{ MetricName: '4XXError', Period: 300 },
      Threshold: MethodSettings[0].ThrottlingRateLimit * 30,
    })
  })

  test('names existing events, queries and widgets', () => {
    const saved = queries().map(({ Name }) => Name.split('/')[1])
    for (const { AlarmDescription } of alarms()) {
      for (const [, event] of AlarmDescription.matchAll(/event (\w+_\w+)/g))
        expect(events).toHaveProperty(event)
      for (const [, query] of AlarmDescription.matchAll(/saved query "([^"]+)"/g))
        expect(saved).toContain(query)
      for (const [, title] of AlarmDescription.matchAll(/"([^"]+)" on the dashboard/g))
        expect(charts.map(chart => chart.title)).toContain(title)
    }
  })
})
