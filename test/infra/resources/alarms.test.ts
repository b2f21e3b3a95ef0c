import { describe, expect, test } from 'vitest'
import { operations } from '../../../infra/resources/operations.ts'
import { endpoints, scheduledFunctions } from '../../../infra/serverless/service-definition.ts'
import { type Properties, packagedOnce } from '../serverless/packaged.ts'
import { everythingOn } from '../serverless/stages.ts'
import { exceeds, type Measured } from './compute.ts'

const deployment = packagedOnce('prod', everythingOn)

const declared = [...endpoints, ...scheduledFunctions]
const withThird = [...declared, { name: 'addSamlProvider', http: [{ method: 'post' }] }]
const service = 'deprecated-saml-endpoints'
const options = {
  service,
  stageName: 'prod',
  tableName: 'saml-providers-prod',
  alarmActions: [],
  tracing: false,
}
const limits = { finishEveryMinutes: 15, maxWaitSeconds: 28, throttleRate: 50 }

const idOf = (name: string) => `${name.charAt(0).toUpperCase()}${name.slice(1)}LambdaFunction`
const lambda = (metric: string, name: string) => `AWS/Lambda ${metric} ${idOf(name)}`
const own = (metric: string, name: string) => `DeprecatedSamlEndpoints ${metric} ${idOf(name)}`
const gateway = (metric: string) => `AWS/ApiGateway ${metric} prod-${service} prod`

describe.each<[string, typeof withThird, () => Record<string, Properties>]>([
  ['the functions of serverless.yml', declared, () => deployment.resources],
  [
    'a third endpoint',
    withThird,
    () => operations({ ...options, ...limits, functions: withThird }).Resources,
  ],
])('with %s', (_, functions, resources) => {
  const alarms = () =>
    Object.values(resources()).flatMap(({ Type, Properties }) =>
      Type === 'AWS::CloudWatch::Alarm' ? [Properties as Properties] : [],
    )
  const rings = (name: string, measured: Measured) => {
    const alarm = alarms().find(({ AlarmName }) => AlarmName === `${service}-prod-${name}`)
    return exceeds(alarm ?? expect.unreachable(`no alarm ${name}`), measured)
  }

  test.each(functions)(
    'a crash of $name, a call that it gives up and a refusal to run it ring',
    ({ name }) => {
      expect(rings('unexpected-error', { [lambda('Errors', name)]: 1 })).toBe(true)
      expect(rings('throttling', { [own('TableBusy', name)]: 1 })).toBe(true)
      expect(rings('throttling', { [lambda('Throttles', name)]: 1 })).toBe(true)
    },
  )

  test.each(functions.filter(({ http }) => http.length > 0))(
    'a bug, a cut answer and missing keys of $name ring, and a 5xx that it did not answer',
    ({ name }) => {
      expect(rings('unexpected-error', { [`${own('Errors', name)} internal_error`]: 1 })).toBe(true)
      expect(rings('answer-cut', { [own('AnswersCut', name)]: 1 })).toBe(true)
      expect(rings('issuer-unavailable', { [`${own('Errors', name)} issuer_unavailable`]: 1 })).toBe(true)
      expect(rings('unanswered', { [gateway('5XXError')]: 2, [own('Answers5xx', name)]: 1 })).toBe(true)
      expect(rings('unanswered', { [gateway('5XXError')]: 2, [own('Answers5xx', name)]: 2 })).toBe(false)
    },
  )

  test.each(functions.filter(({ name }) => /delete|finish/.test(name)))(
    'drift that $name finds rings',
    ({ name }) => expect(rings('membership-drift', { [own('MembershipDrift', name)]: 1 })).toBe(true),
  )

  test('calls of the table that are refused ring', () => {
    for (const metric of ['ReadThrottleEvents', 'WriteThrottleEvents'])
      expect(rings('table-throttled', { [`AWS/DynamoDB ${metric} saml-providers-prod`]: 1 })).toBe(true)
  })

  test('nothing rings without data, but what reports in each run', () => {
    for (const { AlarmName, TreatMissingData, ...alarm } of alarms()) {
      const isReported = AlarmName.endsWith('removal-unfinished')
      expect(TreatMissingData).toBe(isReported ? 'breaching' : 'notBreaching')
      expect(exceeds(alarm, {}), AlarmName).toBe(false)
    }
  })

  test('no alarm has more metrics than CloudWatch allows', () => {
    for (const { AlarmName, Metrics = [] } of alarms())
      expect(Metrics.length - 1, `split the alarm ${AlarmName}: ten metrics are allowed`).toBeLessThan(11)
  })
})

describe('a threshold is reached', () => {
  const alarm = (name: string, more: Partial<typeof limits> = {}): Properties => {
    const all = Object.values(operations({ ...options, ...limits, ...more, functions: declared }).Resources)
    const found = all.map(({ Properties }): Properties => Properties)
    return found.find(({ AlarmName }) => AlarmName?.endsWith(`-${name}`)) ?? expect.unreachable(name)
  }

  test.each<[string, Measured, Measured]>([
    [
      'slow-answers',
      { [gateway('Count')]: 20, [gateway('Latency')]: 5001 },
      { [gateway('Count')]: 19, [gateway('Latency')]: 9000 },
    ],
    [
      'slow-answers',
      { [gateway('Count')]: 99, [gateway('Latency')]: 5001 },
      { [gateway('Count')]: 99, [gateway('Latency')]: 5000 },
    ],
    ['refusal-flood', { [gateway('4XXError')]: 1501 }, { [gateway('4XXError')]: 1500 }],
    [
      'budget-expired',
      { [own('BudgetExpired', 'deleteSamlProvider')]: 10 },
      { [own('BudgetExpired', 'deleteSamlProvider')]: 9 },
    ],
    [
      'budget-expired',
      { [own('BudgetExpired', 'deleteSamlProvider')]: 10 },
      { [own('BudgetExpired', 'listSamlProviders')]: 99 },
    ],
  ])('of %s by %j, and not by %j', (name, enough, tooLittle) => {
    expect(exceeds(alarm(name), enough)).toBe(true)
    expect(exceeds(alarm(name), tooLittle)).toBe(false)
  })

  test.each([1, 5, 15, 60])('of throttling by two runs in a row, every %i minutes', finishEveryMinutes => {
    const { Period = 300, EvaluationPeriods, DatapointsToAlarm } = alarm('throttling', { finishEveryMinutes })
    expect(DatapointsToAlarm).toBe(2)
    // The second run may begin a minute late, and the first period has begun up to a period before the first run.
    expect(EvaluationPeriods * Period).toBeGreaterThanOrEqual(finishEveryMinutes * 60 + 60 + Period)
  })

  test.each([
    [15, 28],
    [1, 899],
  ])('of removal-unfinished by a removal that three runs did not finish, every %i minutes', (every, wait) => {
    const made = alarm('removal-unfinished', { finishEveryMinutes: every, maxWaitSeconds: wait })
    expect(made.Threshold).toBe(wait + 3 * every * 60)
    // From the end of a short run to the end of a long one, which EventBridge may begin a minute late.
    expect(made.Period).toBeGreaterThanOrEqual(2 * every * 60 + 60)
  })
})

describe('the description of each alarm', () => {
  const alarms = () => deployment.properties('AWS::CloudWatch::Alarm')

  test("says its urgency, its cause and the first step within CloudWatch's limit; it notifies the topic", () => {
    for (const { AlarmDescription, AlarmActions, OKActions } of alarms()) {
      expect(AlarmDescription).toMatch(
        /^(May wake somebody|Can wait for the day)\. [A-Z].{60,}\. First step: .{40,}\.$/,
      )
      expect(AlarmDescription.length).toBeLessThanOrEqual(1024)
      expect([AlarmActions, OKActions]).toEqual([[everythingOn.alarmTopicArn], [everythingOn.alarmTopicArn]])
    }
  })
})
