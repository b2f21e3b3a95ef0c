import { beforeAll, describe, expect, test } from 'vitest'
import { endpoints, scheduledFunctions } from '../../../infra/serverless/service-definition.ts'
import { commonFields, events } from '../../../lib/log.ts'
import { metrics } from '../../../lib/metrics.ts'
import { everythingOn, packagedOnce, type Properties } from '../serverless/packaged.ts'
import { compute } from './compute.ts'

const { properties } = packagedOnce('prod', everythingOn)
const queries = () => properties('AWS::Logs::QueryDefinition')
const idsOf = (functions: { name: string }[], kind: string) =>
  functions.map(({ name }) => `${name.charAt(0).toUpperCase()}${name.slice(1)}${kind}`)

let charts: Properties[] = []
let lastCallers = ''
beforeAll(() => {
  const [{ DashboardBody }] = properties('AWS::CloudWatch::Dashboard') as [Properties]
  charts = JSON.parse(DashboardBody['Fn::Sub']).widgets.map((widget: Properties) => widget.properties)
  lastCallers = charts.find(({ query }) => query !== undefined)?.query
})
const linesIn = (chart?: Properties): Properties[][] => chart?.metrics ?? []
const chartOf = (title: string) => charts.find(chart => chart.title === title)

describe('the dashboard', () => {
  const lines = () => charts.flatMap(linesIn).map(line => JSON.stringify(line).replaceAll('\\"', '"'))

  test('shows every metric of every function', () => {
    const isOfEndpoints = (metric: string) => /^Answers\dxx$/.test(metric)
    const missing = Object.keys(metrics).flatMap(metric =>
      idsOf([...endpoints, ...(isOfEndpoints(metric) ? [] : scheduledFunctions)], 'LambdaFunction').flatMap(
        id => {
          const names = [`MetricName="${metric}"`, `"DeprecatedSamlEndpoints","${metric}"`]
          const isShown = (line: string) =>
            line.includes(`"\${${id}}"`) && names.some(name => line.includes(name))
          return lines().some(isShown) ? [] : [`${metric} of ${id}`]
        },
      ),
    )
    expect(missing, 'show it in infra/resources/dashboard.ts').toEqual([])
  })

  test('looks for each metric by dimensions that it has', () => {
    const searches = lines().flatMap(line => [...line.matchAll(/\{\w+,([\w,]+)\} MetricName="(\w+)"/g)])
    expect(searches.length).toBeGreaterThan(10)
    for (const [, dimensions, metric = ''] of searches)
      expect(metrics[metric as keyof typeof metrics]?.dimensions.map(String), metric).toContain(dimensions)
  })

  test('shows who still calls, of all endpoints', () => {
    for (const { name } of endpoints)
      expect(chartOf(`Who still calls ${name}, per client and day`)).toBeDefined()
    for (const id of idsOf(endpoints, 'LogGroup')) expect(lastCallers).toContain(`SOURCE '\${${id}}'`)
  })

  test("shows the gateway's metrics by its name", () => {
    const [api] = properties('AWS::ApiGateway::RestApi')
    const ofGateway = charts.flatMap(linesIn).filter(([first]) => `${first}` === 'AWS/ApiGateway')
    expect(ofGateway.length).toBeGreaterThan(5)
    for (const line of ofGateway) expect(line.slice(2, 6)).toEqual(['ApiName', api?.Name, 'Stage', 'prod'])
  })

  test.each(['refused', 'failed'])("subtracts every function's answers from the gateway's, %s", id => {
    const lines = linesIn(chartOf('Between gateway and function')).map(line => line.at(-1) as Properties)
    const hidden = lines.filter(line => line.visible === false && line.id.startsWith(id))
    const { expression } = lines.find(line => line.id === id) ?? {}
    const counted = hidden.map((line, index) => [line.id, index === 0 ? 7 : 1])
    expect(compute(expression, Object.fromEntries(counted))).toBe(7 - endpoints.length)
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

test('the queries read the logs of all functions', () => {
  const read = queries().flatMap(({ LogGroupNames }) => LogGroupNames.map(({ Ref }: Properties) => Ref))
  expect(new Set(read)).toEqual(new Set(idsOf([...endpoints, ...scheduledFunctions], 'LogGroup')))
})

test("the alarms' descriptions name existing alarms, events, queries and charts", () => {
  const saved = queries().map(({ Name }) => Name.split('/')[1])
  const alarms = properties('AWS::CloudWatch::Alarm')
  const names = alarms.map(({ AlarmName }) => AlarmName.replace('deprecated-saml-endpoints-prod-', ''))
  for (const { AlarmDescription } of alarms) {
    for (const [, event] of AlarmDescription.matchAll(/events? (\w+_\w+)/g))
      expect(events).toHaveProperty(event)
    for (const [, query] of AlarmDescription.matchAll(/saved query "([^"]+)"/g))
      expect(saved).toContain(query)
    for (const [, title] of AlarmDescription.matchAll(/"([^"]+)" on the dashboard/g))
      expect(charts.map(chart => chart.title)).toContain(title)
    for (const [, name] of AlarmDescription.matchAll(/the alarm ([\w-]+)/g)) expect(names).toContain(name)
  }
})
