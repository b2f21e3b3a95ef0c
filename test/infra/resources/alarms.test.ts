import { describe, expect, test } from 'vitest'
import { operations } from '../../../infra/resources/operations.ts'
import { endpoints, scheduledFunctions } from '../../../infra/serverless/service-definition.ts'
import { everythingOn, packagedOnce, type Properties } from '../serverless/packaged.ts'
import { exceeds, type Measured } from './compute.ts'

const { properties } = packagedOnce('prod', everythingOn)

const service = 'deprecated-saml-endpoints'
/** With a third endpoint, which serverless.yml may have one day. */
const functions = [
  ...endpoints,
  ...scheduledFunctions,
  { name: 'addSamlProvider', http: [{ method: 'post' }] },
]
const limits = { finishEveryMinutes: 15, maxWaitSeconds: 28, throttleRate: 50 }

const idOf = (name: string) => `${name.charAt(0).toUpperCase()}${name.slice(1)}LambdaFunction`
const lambda = (metric: string, name: string) => `AWS/Lambda ${metric} ${idOf(name)}`
const own = (metric: string, name: string) => `DeprecatedSamlEndpoints ${metric} ${idOf(name)}`
const gateway = (metric: string) => `AWS/ApiGateway ${metric} prod-${service} prod`

const alarmsWith = (more: Partial<typeof limits> = {}): Properties[] => {
  const names = { service, stageName: 'prod', tableName: 'saml-providers-prod', alarmActions: [] }
  const { Resources } = operations({ ...names, ...limits, ...more, tracing: false, functions })
  return Object.values(Resources).flatMap(({ Type, Properties }) =>
    Type === 'AWS::CloudWatch::Alarm' ? [Properties as Properties] : [],
  )
}
const alarmOf = (name: string, more?: Partial<typeof limits>): Properties =>
  alarmsWith(more).find(({ AlarmName }) => AlarmName === `${service}-prod-${name}`) ??
  expect.unreachable(name)

describe('an alarm', () => {
  const rings = (name: string, measured: Measured) => exceeds(alarmOf(name), measured)

  test.each(functions)('rings for what can go wrong in $name', ({ name, http }) => {
    expect(rings('unexpected-error', { [lambda('Errors', name)]: 1 })).toBe(true)
    expect(rings('throttling', { [own('TableBusy', name)]: 1 })).toBe(true)
    expect(rings('throttling', { [lambda('Throttles', name)]: 1 })).toBe(true)
    if (/delete|finish/.test(name))
      expect(rings('membership-drift', { [own('MembershipDrift', name)]: 1 })).toBe(true)
    if (http.length === 0) return
    expect(rings('unexpected-error', { [`${own('Errors', name)} internal_error`]: 1 })).toBe(true)
    expect(rings('answer-cut', { [own('AnswersCut', name)]: 1 })).toBe(true)
    expect(rings('issuer-unavailable', { [own('KeyFetchesFailed', name)]: 1 })).toBe(true)
    expect(rings('nothing-served', { [own('Requests', name)]: 20, [own('AnswersNot2xx', name)]: 19 })).toBe(
      true,
    )
  })

  test('rings for calls of the table that are refused', () => {
    for (const metric of ['ReadThrottleEvents', 'WriteThrottleEvents'])
      expect(rings('table-throttled', { [`AWS/DynamoDB ${metric} saml-providers-prod`]: 1 })).toBe(true)
  })

  test('does not ring without data, unless it watches what reports in each run, and has as many metrics as it may', () => {
    for (const alarm of alarmsWith()) {
      const { AlarmName, TreatMissingData, Metrics = [] } = alarm
      const isReported = AlarmName.endsWith('removal-unfinished')
      expect(TreatMissingData).toBe(isReported ? 'breaching' : 'notBreaching')
      expect(exceeds(alarm, {}), AlarmName).toBe(false)
      expect(Metrics.length - 1, `split the alarm ${AlarmName}: ten metrics are allowed`).toBeLessThan(11)
    }
  })
})

describe('a threshold is reached', () => {
  const expired = (name: string) => own('BudgetExpired', name)
  const [count, latency] = [gateway('Count'), gateway('Latency')]
  const fiveXx = (all: number, ofFunctions: number) => ({
    [gateway('5XXError')]: all,
    [own('Answers5xx', 'listSamlProviders')]: ofFunctions,
  })
  /** Of both endpoints together. */
  const answers = (all: number, not2xx: number) => ({
    [own('Requests', 'listSamlProviders')]: all - 10,
    [own('Requests', 'deleteSamlProvider')]: 10,
    [own('AnswersNot2xx', 'listSamlProviders')]: not2xx - 9,
    [own('AnswersNot2xx', 'deleteSamlProvider')]: 9,
  })
  test.each<[string, Measured, Measured]>([
    ['slow-answers', { [count]: 20, [latency]: 5001 }, { [count]: 19, [latency]: 9000 }],
    ['slow-answers', { [count]: 99, [latency]: 5001 }, { [count]: 99, [latency]: 5000 }],
    ['refusal-flood', { [gateway('4XXError')]: 1501 }, { [gateway('4XXError')]: 1500 }],
    ['unanswered', fiveXx(1, 0), fiveXx(0, 0)],
    ['unanswered', fiveXx(112, 101), fiveXx(111, 101)],
    ['nothing-served', answers(20, 19), answers(19, 19)],
    ['nothing-served', answers(100, 91), answers(100, 90)],
    ['budget-expired', { [expired('deleteSamlProvider')]: 10 }, { [expired('deleteSamlProvider')]: 9 }],
    ['budget-expired', { [expired('deleteSamlProvider')]: 10 }, { [expired('listSamlProviders')]: 99 }],
  ])('of %s by %j, and not by %j', (name, enough, tooLittle) => {
    expect(exceeds(alarmOf(name), enough)).toBe(true)
    expect(exceeds(alarmOf(name), tooLittle)).toBe(false)
  })

  test.each([1, 5, 15, 60])('of throttling by two runs in a row, every %i minutes', finishEveryMinutes => {
    const {
      Period = 300,
      EvaluationPeriods,
      DatapointsToAlarm,
    } = alarmOf('throttling', { finishEveryMinutes })
    expect(DatapointsToAlarm).toBe(2)
    // The second run may begin a minute late, and the first period has begun up to a period before the first run.
    expect(EvaluationPeriods * Period).toBeGreaterThanOrEqual(finishEveryMinutes * 60 + 60 + Period)
  })

  test.each([
    [15, 28],
    [1, 899],
  ])('of removal-unfinished by a removal that three runs did not finish, every %i minutes', (every, wait) => {
    const made = alarmOf('removal-unfinished', { finishEveryMinutes: every, maxWaitSeconds: wait })
    expect(made.Threshold).toBe(wait + 3 * every * 60)
    // From the end of a short run to the end of a long one, which EventBridge may begin a minute late.
    expect(made.Period).toBeGreaterThanOrEqual(2 * every * 60 + 60)
  })
})

test('each description says urgency and cause in a sentence each, and where the steps are; each alarm notifies the topic', () => {
  for (const one of properties('AWS::CloudWatch::Alarm')) {
    const { AlarmName, AlarmDescription, AlarmActions, OKActions } = one
    const [, , steps] =
      /^(May wake somebody|Can wait for the day)\. [A-Z][^.]+\. See (\S+)\.$/.exec(AlarmDescription) ?? []
    expect(steps).toBe(`infra/alarms.md#${AlarmName.replace(`${service}-prod-`, '')}`)
    expect([AlarmActions, OKActions]).toEqual([[everythingOn.alarmTopicArn], [everythingOn.alarmTopicArn]])
  }
})
