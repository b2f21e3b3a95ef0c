import { beforeAll, describe, expect, test } from 'vitest'
import { problemKinds } from '../../../lib/http/problem.ts'
import { events } from '../../../lib/log.ts'
import { metrics, namespace } from '../../../lib/metrics.ts'
import { everythingOn, type Properties, packagedOnce } from '../serverless/packaged.ts'

const deployment = packagedOnce('prod', everythingOn)
const { properties } = deployment
interface Metric {
  namespace: string
  name: string
  /** Names in order, with their values if known. */
  dimensions: Record<string, unknown>
}

/** The metrics of AWS that are used, with their dimensions ("CloudWatch metrics" of each service's guide). */
const awsMetrics: Record<string, string> = {
  'AWS/Lambda Errors': 'FunctionName',
  'AWS/Lambda Throttles': 'FunctionName',
  'AWS/DynamoDB ReadThrottleEvents': 'TableName',
  'AWS/DynamoDB WriteThrottleEvents': 'TableName',
  'AWS/ApiGateway Count': 'ApiName,Stage',
  'AWS/ApiGateway 4XXError': 'ApiName,Stage',
  'AWS/ApiGateway 5XXError': 'ApiName,Stage',
  'AWS/ApiGateway Latency': 'ApiName,Stage',
  'AWS/ApiGateway IntegrationLatency': 'ApiName,Stage',
}

function expectToExist({ namespace: where, name, dimensions }: Metric) {
  const named = Object.keys(dimensions).join()
  if (where === 'AWS/ApiGateway') {
    const [api] = properties('AWS::ApiGateway::RestApi')
    expect(dimensions).toEqual({ ApiName: api?.Name, Stage: 'prod' })
  }
  if (where !== namespace) return expect(awsMetrics[`${where} ${name}`], `${where} ${name}`).toBe(named)
  const metric = metrics[name as keyof typeof metrics]
  expect(metric, name).toBeDefined()
  expect(
    metric.dimensions.map(set => set.join()),
    name,
  ).toContain(named)
  if (dimensions.code !== undefined) expect(Object.keys(problemKinds)).toContain(dimensions.code)
}

describe('the dashboard', () => {
  // biome-ignore lint/suspicious/noExplicitAny: CloudWatch's own format
  let widgets: any[] = []
  beforeAll(() => {
    const [{ DashboardBody }] = properties('AWS::CloudWatch::Dashboard') as [Properties]
    widgets = JSON.parse(DashboardBody['Fn::Sub']).widgets
  })
  const lines = () => widgets.flatMap(({ properties }) => properties.metrics ?? []) as unknown[][]

  test('names existing resources', () => {
    const [{ DashboardBody }] = properties('AWS::CloudWatch::Dashboard') as [Properties]
    const names = [...DashboardBody['Fn::Sub'].matchAll(/\$\{([^}]+)\}/g)].map(([, name]) => name)
    expect(names.length).toBeGreaterThan(10)
    for (const name of names) expect([...Object.keys(deployment.resources), 'AWS::Region']).toContain(name)
  })

  test('shows existing metrics by their dimensions', () => {
    const shown = lines().flatMap(([first, name, ...rest]) => {
      if (typeof first !== 'string') return []
      const pairs = rest.filter(one => typeof one === 'string')
      const dimensions = Object.fromEntries(
        pairs.flatMap((one, i) => (i % 2 === 0 ? [[one, pairs[i + 1]]] : [])),
      )
      return [{ namespace: first, name: String(name), dimensions }]
    })
    expect(shown.length).toBeGreaterThan(15)
    for (const one of shown) expectToExist(one)
  })

  test('searches existing metrics by their dimensions', () => {
    const searches = JSON.stringify(widgets).matchAll(/SEARCH\('\{(\w+),([\w,]+)\} MetricName=\W+(\w+)/g)
    const found = [...searches].map(([, where = '', names = '', name = '']) => ({
      namespace: where,
      name,
      dimensions: Object.fromEntries(names.split(',').map(one => [one, undefined])),
    }))
    expect(found).toHaveLength(4)
    found.forEach(expectToExist)
    expect(JSON.stringify(widgets)).toMatch(/\$\{PROP\('Dim.client'\)\}/)
  })

  test('shows every metric', () => {
    for (const name of Object.keys(metrics)) expect(JSON.stringify(widgets)).toContain(name)
  })

  test('shows each metric that an alarm watches by function alone', () => {
    const shown = lines().map(([where, name, , ref]) => `${where} ${name} ${ref}`)
    for (const alarm of properties('AWS::CloudWatch::Alarm'))
      for (const { MetricStat } of alarm.Metrics ?? [{ MetricStat: { Metric: alarm } }]) {
        const { Namespace, MetricName, Dimensions = [] } = MetricStat?.Metric ?? {}
        if (Namespace === namespace && Dimensions.length === 1)
          expect(shown).toContain(`${Namespace} ${MetricName} \${${Dimensions[0].Value.Ref}}`)
      }
  })

  test('computes from metrics of the same widget, and no widgets overlap', () => {
    for (const { properties } of widgets) {
      const all = (properties.metrics ?? []).map((line: unknown[]) => line.at(-1)) as Properties[]
      const ids = all.flatMap(({ id }) => id ?? [])
      for (const { expression = '' } of all)
        if (!expression.startsWith('SEARCH'))
          for (const [word] of expression.matchAll(/\b[a-z]\w*/g)) expect(ids).toContain(word)
    }
    const cells = widgets.flatMap(({ x, y, width, height }) =>
      Array.from({ length: width * height }, (_, i) => `${x + (i % width)},${y + Math.floor(i / width)}`),
    )
    expect(new Set(cells).size).toBe(cells.length)
  })
})

describe('each alarm', () => {
  test("describes its cause and the first step within CloudWatch's limit, and notifies the topic", () => {
    const alarms = properties('AWS::CloudWatch::Alarm')
    for (const { AlarmName, AlarmDescription, AlarmActions, OKActions, TreatMissingData } of alarms) {
      expect(AlarmDescription).toMatch(/^[A-Z].{60,}\. First step: .{40,}\.$/)
      expect(AlarmDescription.length).toBeLessThanOrEqual(1024)
      expect([AlarmActions, OKActions]).toEqual([[everythingOn.alarmTopicArn], [everythingOn.alarmTopicArn]])
      // Missing data means that the scheduled function does not run.
      const isAlwaysReported = AlarmName.endsWith('removal-unfinished')
      expect(TreatMissingData).toBe(isAlwaysReported ? 'breaching' : 'notBreaching')
    }
  })

  test('uses existing metrics by their dimensions', () => {
    const nameValues = (list: Properties[]) =>
      Object.fromEntries(list.map(({ Name, Value }) => [Name, Value]))
    for (const alarm of properties('AWS::CloudWatch::Alarm')) {
      const watched = (alarm.Metrics ?? []).flatMap((one: Properties) => one.MetricStat?.Metric ?? [])
      for (const { Namespace, MetricName, Dimensions } of alarm.Metrics === undefined ? [alarm] : watched)
        expectToExist({ namespace: Namespace, name: MetricName, dimensions: nameValues(Dimensions) })
      const ids = (alarm.Metrics ?? []).map(({ Id }: Properties) => Id)
      for (const { Expression = '' } of alarm.Metrics ?? [])
        for (const [word] of Expression.matchAll(/\b[a-z]\w*/g)) expect(ids).toContain(word)
    }
  })

  test("computes within CloudWatch's limits, and fills each metric without data", () => {
    for (const { Metrics = [] } of properties('AWS::CloudWatch::Alarm')) {
      const read = Metrics.filter(({ MetricStat }: Properties) => MetricStat !== undefined)
      expect(read.length).toBeLessThanOrEqual(10) // "Limits that apply to alarms based on metric math expressions"
      const expressions = Metrics.map(({ Expression = '' }: Properties) => Expression).join('\n')
      expect(expressions).not.toContain('SEARCH')
      for (const { Id } of read) {
        expect(expressions).toContain(`FILL(${Id}, 0)`)
        expect(expressions.replaceAll(`FILL(${Id}, 0)`, '')).not.toMatch(new RegExp(`\\b${Id}\\b`))
      }
    }
  })

  test('names existing events, queries and widgets', () => {
    const [dashboard] = properties('AWS::CloudWatch::Dashboard')
    const queries = properties('AWS::Logs::QueryDefinition').map(({ Name }) => Name.split('/')[1])
    for (const { AlarmDescription } of properties('AWS::CloudWatch::Alarm')) {
      for (const [, event] of AlarmDescription.matchAll(/event (\w+_\w+)/g))
        expect(events).toHaveProperty(event)
      for (const [, query] of AlarmDescription.matchAll(/saved query "([^"]+)"/g))
        expect(queries).toContain(query)
      for (const [, title] of AlarmDescription.matchAll(/"([^"]+)" on the dashboard/g))
        expect(dashboard?.DashboardBody['Fn::Sub']).toContain(`"title": "${title}"`)
    }
  })
})
