import { describe, expect, test } from 'vitest'
import {
  exceeds,
  functions,
  type Limits,
  logicalIdOf,
  type Measured,
  operationsOf,
  service,
} from './watched.ts'

const alarms = operationsOf('AWS::CloudWatch::Alarm')
const alarmOf = (name: string, more?: Limits) =>
  operationsOf('AWS::CloudWatch::Alarm', more).find(
    ({ AlarmName }) => AlarmName === `${service}-prod-${name}`,
  ) ?? expect.unreachable(name)

const idOf = (name: string) => logicalIdOf({ name }, 'LambdaFunction')
const lambda = (metric: string, name: string) => `AWS/Lambda ${metric} ${idOf(name)}`
const own = (metric: string, name: string) => `DeprecatedSamlEndpoints ${metric} ${idOf(name)}`
const gateway = (metric: string) => `AWS/ApiGateway ${metric} prod-${service} prod`

describe('an alarm', () => {
  const expectToRing = (name: string, measured: Measured) =>
    expect(exceeds(alarmOf(name), measured), name).toBe(true)

  test.each(functions)('rings for what can go wrong in $name', ({ name, http }) => {
    expectToRing('unexpected-error', { [lambda('Errors', name)]: 1 })
    expectToRing('throttling', { [own('TableBusy', name)]: 1 })
    expectToRing('throttling', { [lambda('Throttles', name)]: 1 })
    if (/delete|finish/.test(name)) expectToRing('membership-drift', { [own('MembershipDrift', name)]: 1 })
    if (http.length === 0) return
    expectToRing('unexpected-error', { [`${own('Errors', name)} internal_error`]: 1 })
    expectToRing('answer-cut', { [own('AnswersCut', name)]: 1 })
    expectToRing('issuer-unavailable', { [own('KeyFetchesFailed', name)]: 1 })
    expectToRing('nothing-served', { [own('Requests', name)]: 20, [own('AnswersNot2xx', name)]: 19 })
  })

  test.each(['ReadThrottleEvents', 'WriteThrottleEvents'])('rings for %s of the table', metric => {
    expectToRing('table-throttled', { [`AWS/DynamoDB ${metric} saml-providers-prod`]: 1 })
  })

  test.each(alarms)('$AlarmName is silent without data, unless each run reports', alarm => {
    const { AlarmName, TreatMissingData } = alarm
    const isReported = AlarmName.endsWith('removal-unfinished')
    expect(TreatMissingData).toBe(isReported ? 'breaching' : 'notBreaching')
    expect(exceeds(alarm, {})).toBe(false)
  })

  test.each(alarms)('$AlarmName has at most ten metrics', ({ AlarmName, Metrics = [] }) => {
    expect(Metrics.length - 1, `split the alarm ${AlarmName}`).toBeLessThan(11)
  })

  test.each(alarms)('$AlarmName says its urgency, its cause and where the steps are', alarm => {
    const { AlarmName, AlarmDescription, AlarmActions, OKActions } = alarm
    const [, , steps] =
      /^(May wake somebody|Can wait for the day)\. [A-Z][^.]+\. See (\S+)\.$/.exec(AlarmDescription) ?? []
    expect(steps).toBe(`infra/alarms.md#${AlarmName.replace(`${service}-prod-`, '')}`)
    expect([AlarmActions, OKActions]).toEqual([['topic'], ['topic']])
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
  ])('of %s by %j, not by %j', (name, enough, tooLittle) => {
    expect(exceeds(alarmOf(name), enough)).toBe(true)
    expect(exceeds(alarmOf(name), tooLittle)).toBe(false)
  })

  test.each([1, 5, 15, 60])('of throttling by two runs in a row, every %i minutes', finishEveryMinutes => {
    const alarm = alarmOf('throttling', { finishEveryMinutes })
    const { Period = 300, EvaluationPeriods, DatapointsToAlarm } = alarm
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
