import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
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
const inShort = ({ Metric: { Namespace, MetricName, Dimensions } }: Properties) =>
  [Namespace, MetricName, ...Dimensions.map(({ Value }: Properties) => Value.Ref ?? Value)].join(' ')
const partsOf = ({ Metrics = [] }: Properties): Properties[] =>
  Metrics.filter(({ MetricStat }: Properties) => MetricStat !== undefined)
/** The metrics that an alarm looks at, each with its statistic and period. */
const watchedBy = (alarm: Properties): Properties[] => {
  const { Metrics, Statistic: Stat, Period } = alarm
  return Metrics ? partsOf(alarm).map(({ MetricStat }) => MetricStat) : [{ Metric: alarm, Stat, Period }]
}

const idOf = ({ name }: { name: string }) => `${name.charAt(0).toUpperCase()}${name.slice(1)}LambdaFunction`
const [all, ofEndpoints] = [[...endpoints, ...scheduledFunctions].map(idOf), endpoints.map(idOf)]
const removing = all.filter(id => /Delete|Finish/.test(id))
const own = (metric: string) => `DeprecatedSamlEndpoints ${metric} deprecated-saml-endpoints-prod`
const lambda = (metric: string) => all.map(id => `AWS/Lambda ${metric} ${id}`)

/** The dimension sets of a metric that the functions log; undefined when there is no such metric. */
const dimensionsOf = (name: string) => metrics[name as keyof typeof metrics]?.dimensions.map(String)

const everySeconds = schedule.everyMs / 1000
/** Periods of 300 s that have two runs in a row: the second may begin a minute late, the first anywhere in a period. */
const twoRuns = Math.ceil((everySeconds + 60 + 300) / 300)

interface Alarm {
  /** Not by what callers without the right can cause alone. */
  mayWake?: true
  /** Those of the deployment, and Lambda's of each function. */
  metrics: string[]
  /** The statistic of each metric and its period in seconds, unless it is the sum of 300 s. */
  read?: [statistic: string, period: number]
  /** What is compared with the threshold, unless it is the sum of the metrics. */
  compared?: string
  threshold?: number
  /** It rings after so many periods past its threshold, of so many. */
  periods: [number: number, of: number]
}

const alarms: Record<string, Alarm> = {
  'unexpected-error': {
    mayWake: true,
    metrics: [`${own('Errors')} internal_error`, ...lambda('Errors')],
    periods: [1, 1],
  },
  unanswered: {
    mayWake: true,
    metrics: ['AWS/ApiGateway 5XXError prod-deprecated-saml-endpoints prod', own('Answers5xx')],
    compared: 'all - 1.1 * answered',
    periods: [2, 3],
  },
  'nothing-served': {
    metrics: [own('Requests'), own('AnswersNot2xx')],
    compared: 'IF(all >= 20, refused / all, 0)',
    threshold: 0.9,
    periods: [3, 3],
  },
  'issuer-unavailable': { metrics: [own('KeyFetchesFailed')], periods: [3, 12] },
  throttling: {
    mayWake: true,
    metrics: [own('TableBusy'), ...lambda('Throttles')],
    periods: [2, twoRuns],
  },
  'removal-unfinished': {
    metrics: [own('OldestUnfinishedRemovalSeconds')],
    read: ['Maximum', 3 * everySeconds], // the longest age in the last three runs
    threshold: 3 * everySeconds + 900, // three runs, and the longest request
    periods: [1, 1],
  },
  'membership-drift': { metrics: [own('MembershipDrift')], periods: [1, 1] },
}

test('each alarm is listed here', () => {
  const names = properties('AWS::CloudWatch::Alarm').map(({ AlarmName }) => AlarmName.replace(prefix, ''))
  expect(names.sort(), 'list the alarm and its metrics above').toEqual(Object.keys(alarms).sort())
})

test.each(Object.entries(alarms))('the alarm %s looks at all that can raise it', (name, wanted) => {
  const alarm = alarmOf(name)
  const place = 'look at the metrics of each function, in their order, in infra/resources/alarms.yml'
  expect(watchedBy(alarm).map(inShort), place).toEqual(wanted.metrics)
  for (const { Metric, Stat, Period } of watchedBy(alarm)) {
    expect([Stat, Period]).toEqual(wanted.read ?? ['Sum', 300])
    if (Metric.Namespace !== namespace) continue
    const dimensions = Metric.Dimensions.map(({ Name }: Properties) => Name).join()
    const logged = dimensionsOf(Metric.MetricName) ?? []
    expect(logged, 'add the metric to lib/metrics.ts').toContain(dimensions)
  }
})

test.each(Object.entries(alarms))('the alarm %s rings past its threshold', (name, wanted) => {
  const alarm = alarmOf(name)
  const { ComparisonOperator, Threshold, EvaluationPeriods, DatapointsToAlarm = EvaluationPeriods } = alarm
  expect([ComparisonOperator, Threshold]).toEqual(['GreaterThanThreshold', wanted.threshold ?? 0])
  expect([DatapointsToAlarm, EvaluationPeriods]).toEqual(wanted.periods)
  expect(alarm.TreatMissingData).toBe(name === 'removal-unfinished' ? 'breaching' : 'notBreaching')
  const ids = partsOf(alarm).map(({ Id }) => Id)
  if (ids.length === 0) return
  // A metric without data would make the expression one without data.
  const compared = wanted.compared ?? `SUM([${ids.join(', ')}])`
  expect(alarm.Metrics[0].Expression).toBe(compared.replace(/\b[a-z]\w+\b/g, 'FILL($&, 0)'))
})

test.each(Object.entries(alarms))(
  'the alarm %s tells its topic its urgency and steps',
  (name, { mayWake }) => {
    const { AlarmDescription, AlarmActions, OKActions } = alarmOf(name)
    const sentences =
      /^(May wake somebody|Can wait for the day)\. [A-Z][^.]+\. See infra\/alarms\.md#(\S+)\.$/
    const urgency = mayWake ? 'May wake somebody' : 'Can wait for the day'
    expect(sentences.exec(AlarmDescription)?.slice(1)).toEqual([urgency, name])
    const headings = readFileSync(join(projectRoot, 'infra/alarms.md'), 'utf8').match(/^### .+$/gm)
    expect(headings, 'write the steps of each alarm in infra/alarms.md').toContain(`### ${name}`)
    const actions = [everythingOn.alarmTopicArn]
    expect([AlarmActions, OKActions]).toEqual([actions, actions])
  },
)

const dashboard = (): string => properties('AWS::CloudWatch::Dashboard')[0]?.DashboardBody['Fn::Sub']

/** The metrics of the dashboard, with their dimensions. */
function shown(): [name: string, dimensions: string][] {
  const { widgets }: { widgets: Properties[] } = JSON.parse(dashboard())
  return widgets
    .flatMap(chart => chart.properties.metrics)
    .map(([first, name, dimension]) => {
      const searched = /\{DeprecatedSamlEndpoints,([\w,]+)\} MetricName="(\w+)"/.exec(first.expression)
      return searched ? [String(searched[2]), String(searched[1])] : [name, dimension]
    })
}

test('the dashboard shows each metric by dimensions that it has', () => {
  for (const [name, dimensions] of shown()) expect(dimensionsOf(name), name).toContain(dimensions)
  const deployments = [...dashboard().matchAll(/deployment(?:=\\|", )"([\w-]+)/g)].map(([, name]) => name)
  expect(new Set(deployments)).toEqual(new Set(['deprecated-saml-endpoints-prod']))
})

test('the dashboard or an alarm looks at each metric that the functions log', () => {
  const rung = properties('AWS::CloudWatch::Alarm').flatMap(alarm => watchedBy(alarm))
  const used = [...shown().map(([name]) => name), ...rung.map(({ Metric }) => Metric.MetricName)]
  const unseen = Object.keys(metrics).filter(name => !used.includes(name))
  expect(unseen, 'show each metric in infra/resources/dashboard.txt, or give it an alarm').toEqual([])
})

test('the dashboard leaves no variable of CloudWatch to Fn::Sub', () => {
  for (const [, name = ''] of dashboard().matchAll(/\$\{([^}]*)\}/g))
    expect(['AWS::Region', ...all]).toContain(name)
})

test.each([
  ['who still calls', ofEndpoints, ['max(timestamp) as last_call']],
  [
    'removals and their users',
    removing,
    ['max(unlinked) as users_unlinked', 'earliest(subject) as requested_by'],
  ],
])('the query "%s" has its evidence, and names only what the logs have', (title, ids, evidence) => {
  const named = ({ Name }: Properties) => Name === `deprecated-saml-endpoints-prod/${title}`
  const { QueryString, LogGroupNames } = properties('AWS::Logs::QueryDefinition').find(named) ?? {}
  const place = 'name the log of each function in infra/resources/dashboard.yml'
  expect(LogGroupNames, place).toEqual(ids.map(id => ({ Ref: id.replace('LambdaFunction', 'LogGroup') })))
  for (const column of evidence) expect(QueryString).toContain(column)
  const fields = [...commonFields, ...Object.values(events).flatMap(event => [...event.fields])]
  const given = [...QueryString.matchAll(/ as (\w+)/g)].map(([, name]) => name)
  for (const [name] of QueryString.replaceAll(/"[^"]*"/g, '').matchAll(/\b[a-z]+(_[a-z]+)+\b/g))
    expect([...fields, ...given]).toContain(name)
  for (const [, event] of QueryString.matchAll(/event(?: =|,) "(\w+)"/g)) expect(events).toHaveProperty(event)
})
