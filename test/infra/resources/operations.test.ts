import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { projectRoot } from '../../../infra/project-root.ts'
import { endpoints, schedule, scheduledFunctions } from '../../../infra/serverless/service-definition.ts'
import { commonFields, events } from '../../../lib/log.ts'
import { metrics, namespace } from '../../../lib/metrics.ts'
import { everythingOn, packagedOnce, type Properties } from '../serverless/packaged.ts'

const deployment = packagedOnce('prod', everythingOn)
const { properties } = deployment
const prefix = 'deprecated-saml-endpoints-prod-'
const alarmOf = (name: string) =>
  properties('AWS::CloudWatch::Alarm').find(({ AlarmName }) => AlarmName === prefix + name) ??
  expect.unreachable(name)

/** A metric in one line, such as `AWS/Lambda Errors ListSamlProvidersLambdaFunction`. */
const inShort = ({ Namespace, MetricName, Dimensions }: Properties) =>
  [Namespace, MetricName, ...Dimensions.map(({ Value }: Properties) => Value.Ref ?? Value)].join(' ')
const partsOf = ({ Metrics = [] }: Properties): Properties[] =>
  Metrics.filter(({ MetricStat }: Properties) => MetricStat !== undefined)
/** What an alarm looks at. */
const watchedBy = (alarm: Properties): Properties[] =>
  alarm.Metrics === undefined ? [alarm] : partsOf(alarm).map(({ MetricStat }) => MetricStat.Metric)

const idOf = ({ name }: { name: string }) => `${name.charAt(0).toUpperCase()}${name.slice(1)}LambdaFunction`
const [all, ofEndpoints] = [[...endpoints, ...scheduledFunctions].map(idOf), endpoints.map(idOf)]
const removing = all.filter(id => /Delete|Finish/.test(id))
const own = (metric: string, ids: string[]) => ids.map(id => `DeprecatedSamlEndpoints ${metric} ${id}`)
const lambda = (metric: string) => all.map(id => `AWS/Lambda ${metric} ${id}`)

/** The dimension sets of a metric that the functions log; undefined when there is no such metric. */
const dimensionsOf = (name: string) => metrics[name as keyof typeof metrics]?.dimensions.map(String)

/** The metrics of each alarm; every function that can raise it is among them. */
const watched: Record<string, string[]> = {
  'unexpected-error': [
    ...own('Errors', ofEndpoints).map(metric => `${metric} internal_error`),
    ...lambda('Errors'),
  ],
  unanswered: [
    'AWS/ApiGateway 5XXError prod-deprecated-saml-endpoints prod',
    ...own('Answers5xx', ofEndpoints),
  ],
  'nothing-served': [...own('Requests', ofEndpoints), ...own('AnswersNot2xx', ofEndpoints)],
  'issuer-unavailable': own('KeyFetchesFailed', ofEndpoints),
  throttling: [...own('TableBusy', all), ...lambda('Throttles')],
  'removal-unfinished': own('OldestUnfinishedRemovalSeconds', all.slice(-1)),
  'membership-drift': own('MembershipDrift', removing),
}

const everySeconds = schedule.everyMs / 1000
/** Periods of 300 s that have two runs in a row: the second may begin a minute late, the first anywhere in a period. */
const twoRuns = Math.ceil((everySeconds + 60 + 300) / 300)

/** When each alarm rings: so many periods past the threshold, of so many. */
const rings: Record<string, [operator: string, threshold: number, periods: number, of: number]> = {
  'unexpected-error': ['GreaterThanThreshold', 0, 1, 1],
  unanswered: ['GreaterThanThreshold', 0, 2, 3],
  'nothing-served': ['GreaterThanThreshold', 0.9, 3, 3],
  'issuer-unavailable': ['GreaterThanThreshold', 0, 3, 12],
  throttling: ['GreaterThanThreshold', 0, 2, twoRuns],
  // Three runs, and the longest request.
  'removal-unfinished': ['GreaterThanThreshold', 3 * everySeconds + 900, 1, 1],
  'membership-drift': ['GreaterThanThreshold', 0, 1, 1],
}

/** What an alarm compares with its threshold, unless it is the sum of its metrics. */
const compared: Record<string, string> = {
  unanswered: 'all - 1.1 * SUM([list, remove])',
  'nothing-served': 'IF(SUM([list, remove]) >= 20, SUM([notList, notRemove]) / SUM([list, remove]), 0)',
}

/** What callers without the right can cause alone wakes nobody. */
const urgencyOf = (name: string) =>
  ['unexpected-error', 'unanswered', 'throttling'].includes(name)
    ? 'May wake somebody'
    : 'Can wait for the day'

describe('an alarm', () => {
  test('is one of these', () => {
    const names = properties('AWS::CloudWatch::Alarm').map(({ AlarmName }) => AlarmName.replace(prefix, ''))
    expect(names.sort(), 'list the alarm and its metrics above').toEqual(Object.keys(watched).sort())
  })

  test.each(Object.entries(watched))(
    '%s looks at the metrics of each function that can raise it',
    (name, wanted) => {
      const alarm = alarmOf(name)
      const place = 'look at the metrics of each function in infra/resources/alarms.yml'
      expect(watchedBy(alarm).map(inShort), place).toEqual(wanted)
      for (const { Namespace, MetricName, Dimensions } of watchedBy(alarm))
        if (Namespace === namespace)
          expect(dimensionsOf(MetricName)).toContain(Dimensions.map(({ Name }: Properties) => Name).join())
      for (const { Metrics: _, MetricStat } of partsOf(alarm))
        expect(MetricStat).toMatchObject({ Stat: 'Sum', Period: 300 })
      expect(alarm.TreatMissingData).toBe(name === 'removal-unfinished' ? 'breaching' : 'notBreaching')
    },
  )

  test.each(Object.entries(rings))('%s rings by %j', (name, wanted) => {
    const alarm = alarmOf(name)
    const { ComparisonOperator, Threshold, EvaluationPeriods, DatapointsToAlarm = EvaluationPeriods } = alarm
    expect([ComparisonOperator, Threshold, DatapointsToAlarm, EvaluationPeriods]).toEqual(wanted)
    const ids = partsOf(alarm).map(({ Id }) => Id)
    if (ids.length === 0) return
    // A metric without data would make the expression one without data.
    const filled = (compared[name] ?? `SUM([${ids.join(', ')}])`).replace(/\b[a-z]\w+\b/g, 'FILL($&, 0)')
    expect(alarm.Metrics[0].Expression).toBe(filled)
  })

  test.each(Object.keys(watched))('%s has its urgency, steps and topic', name => {
    const { AlarmDescription, AlarmActions, OKActions } = alarmOf(name)
    const sentences =
      /^(May wake somebody|Can wait for the day)\. [A-Z][^.]+\. See infra\/alarms\.md#(\S+)\.$/
    expect(sentences.exec(AlarmDescription)?.slice(1)).toEqual([urgencyOf(name), name])
    const headings = readFileSync(join(projectRoot, 'infra/alarms.md'), 'utf8').match(/^### .+$/gm)
    expect(headings, 'write the steps of each alarm in infra/alarms.md').toContain(`### ${name}`)
    const actions = [everythingOn.alarmTopicArn]
    expect([AlarmActions, OKActions]).toEqual([actions, actions])
  })

  test('removal-unfinished sees the longest age in the last three runs', () =>
    expect(alarmOf('removal-unfinished')).toMatchObject({ Statistic: 'Maximum', Period: 3 * everySeconds }))
})

describe('the dashboard', () => {
  let body = ''
  let shown: [name: string, dimensions: string][] = []
  beforeAll(() => {
    body = properties('AWS::CloudWatch::Dashboard')[0]?.DashboardBody['Fn::Sub']
    const lines: unknown[][] = JSON.parse(body).widgets.flatMap(
      (chart: Properties) => chart.properties.metrics,
    )
    shown = lines.map(([first, name, dimension]) => {
      const { expression } = Object(first)
      const [, dimensions, searched] =
        /\{DeprecatedSamlEndpoints,([\w,]+)\} MetricName="(\w+)"/.exec(expression) ?? []
      return [String(searched ?? name), String(dimensions ?? dimension)]
    })
  })

  test('shows metrics by dimensions that they have', () => {
    for (const [name, dimensions] of shown) expect(dimensionsOf(name), name).toContain(dimensions)
    expect(shown.slice(0, 3).map(String)).toEqual([
      ...['Requests,function,client', 'Requests,function,client'], // who still calls
      'Errors,function,code',
    ])
    const failures = /"expression": "([^\n]*Errors[^\n]*)/.exec(body)?.[1]
    for (const id of ofEndpoints)
      expect(failures, 'search each endpoint in infra/resources/dashboard.txt').toContain(id)
  })

  test('or an alarm looks at each metric that the functions log', () => {
    const rung = properties('AWS::CloudWatch::Alarm').flatMap(alarm => watchedBy(alarm))
    const used = [...shown.map(([name]) => name), ...rung.map(({ MetricName }) => MetricName)]
    const unseen = Object.keys(metrics).filter(name => !used.includes(name))
    expect(unseen, 'show each metric in infra/resources/dashboard.txt, or give it an alarm').toEqual([])
  })

  test('leaves no variable of CloudWatch to Fn::Sub', () => {
    for (const [, name = ''] of body.matchAll(/\$\{([^}]*)\}/g))
      expect(['AWS::Region', ...all]).toContain(name)
  })
})

test.each([
  ['who still calls', ['issuer', 'name', 'subject'], ofEndpoints],
  ['removals and their users', ['removal_id'], removing],
])('the query "%s" groups by %j, and all it names exists', (title, by, ids) => {
  const named = ({ Name }: Properties) => Name === `deprecated-saml-endpoints-prod/${title}`
  const { QueryString, LogGroupNames } = properties('AWS::Logs::QueryDefinition').find(named) ?? {}
  expect(/ by (.+)$/m.exec(QueryString)?.[1]?.split(', ')).toEqual(by)
  const place = 'name the log of each function in infra/resources/dashboard.yml'
  expect(LogGroupNames, place).toEqual(ids.map(id => ({ Ref: id.replace('LambdaFunction', 'LogGroup') })))
  const fields = [...commonFields, ...Object.values(events).flatMap(event => [...event.fields])]
  const given = [...QueryString.matchAll(/ as (\w+)/g)].map(([, name]) => name)
  for (const [name] of QueryString.replaceAll(/"[^"]*"/g, '').matchAll(/\b[a-z]+(_[a-z]+)+\b/g))
    expect([...fields, ...given]).toContain(name)
  for (const [, event] of QueryString.matchAll(/event(?: =|,) "(\w+)"/g)) expect(events).toHaveProperty(event)
})
