import { describe, expect, test } from 'vitest'
import { commonFields, events } from '../../../lib/log.ts'
import { metrics } from '../../../lib/metrics.ts'
import type { Properties } from '../serverless/packaged.ts'
import { compute, endpoints, functions, logicalIdOf, operationsOf, service } from './watched.ts'

const [{ DashboardBody }] = operationsOf('AWS::CloudWatch::Dashboard') as [Properties]
const charts: Properties[] = JSON.parse(DashboardBody['Fn::Sub']).widgets.map(
  (widget: Properties) => widget.properties,
)
const chartOf = (title: string) => charts.find(chart => chart.title === title)
const lastCallers: string = chartOf('The last callers')?.query
const queries = operationsOf('AWS::Logs::QueryDefinition')

describe('the dashboard', () => {
  const lines = charts.flatMap((chart): Properties[] => chart.metrics ?? [])
  const texts = lines.map(line => JSON.stringify(line).replaceAll('\\"', '"'))

  test.each(Object.keys(metrics))('shows %s of every function', metric => {
    const reporting = /^Answers\dxx$/.test(metric) ? endpoints : functions
    const missing = reporting.filter(one => {
      const id = `"\${${logicalIdOf(one, 'LambdaFunction')}}"`
      const names = [`MetricName="${metric}"`, `"DeprecatedSamlEndpoints","${metric}"`]
      return !texts.some(line => line.includes(id) && names.some(name => line.includes(name)))
    })
    expect(missing, 'show it in infra/resources/dashboard.ts').toEqual([])
  })

  test('looks for each metric by dimensions that it has', () => {
    const searches = texts.flatMap(line => [...line.matchAll(/\{\w+,([\w,]+)\} MetricName="(\w+)"/g)])
    expect(searches.length).toBeGreaterThan(10)
    for (const [, dimensions, metric = ''] of searches)
      expect(metrics[metric as keyof typeof metrics]?.dimensions.map(String), metric).toContain(dimensions)
  })

  test.each(endpoints)('shows who still calls $name', endpoint => {
    expect(chartOf(`Who still calls ${endpoint.name}, per client and day`)).toBeDefined()
    expect(lastCallers).toContain(`SOURCE '\${${logicalIdOf(endpoint, 'LogGroup')}}'`)
  })

  test.each(['refused', 'failed'])("subtracts every function's answers from the gateway's, %s", id => {
    const lines: Properties[] = chartOf('Between gateway and function')?.metrics.map((line: unknown[]) =>
      line.at(-1),
    )
    const hidden = lines.filter(line => line.visible === false && line.id.startsWith(id))
    const { expression } = lines.find(line => line.id === id) ?? {}
    const counted = hidden.map((line, index) => [line.id, index === 0 ? 7 : 1])
    expect(compute(expression, Object.fromEntries(counted))).toBe(7 - endpoints.length)
  })

  test('leaves no variable of CloudWatch to Fn::Sub', () => {
    const replaced = DashboardBody['Fn::Sub'].match(/\$\{[^}]*\}/g)
    for (const one of new Set(replaced))
      expect(one).toMatch(/^\$\{(AWS::Region|\w+(LambdaFunction|LogGroup))\}$/)
  })
})

test.each([lastCallers, ...queries.map(({ QueryString }) => QueryString)])(
  'a query uses existing events and fields: %s',
  query => {
    const fields = [...commonFields, ...Object.values(events).flatMap(event => [...event.fields])]
    const given = [...query.matchAll(/ as (\w+)/g)].map(([, name]) => name)
    for (const [name] of query.replaceAll(/"[^"]*"/g, '').matchAll(/\b[a-z]+(_[a-z]+)+\b/g))
      expect([...fields, ...given]).toContain(name)
    for (const [, event] of query.matchAll(/event(?: =|,) "(\w+)"/g)) expect(events).toHaveProperty(event)
  },
)

test('the queries read the logs of all functions', () => {
  const read = queries.flatMap(({ LogGroupNames }) => LogGroupNames.map(({ Ref }: Properties) => Ref))
  expect(new Set(read)).toEqual(new Set(functions.map(one => logicalIdOf(one, 'LogGroup'))))
})

test("the alarms' descriptions name existing alarms, events, queries and charts", () => {
  const saved = queries.map(({ Name }) => Name.split('/')[1])
  const alarms = operationsOf('AWS::CloudWatch::Alarm')
  const names = alarms.map(({ AlarmName }) => AlarmName.replace(`${service}-prod-`, ''))
  for (const { AlarmDescription } of alarms) {
    for (const [, event] of AlarmDescription.matchAll(/events? (\w+_\w+)/g))
      expect(events).toHaveProperty(event)
    for (const [, query] of AlarmDescription.matchAll(/saved query "([^"]+)"/g))
      expect(saved).toContain(query)
    for (const [, title] of AlarmDescription.matchAll(/"([^"]+)" on the dashboard/g))
      expect(chartOf(title)).toBeDefined()
    for (const [, name] of AlarmDescription.matchAll(/the alarm ([\w-]+)/g)) expect(names).toContain(name)
  }
})
