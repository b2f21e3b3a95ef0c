import { describe, expect, test } from 'vitest'
import { faultIn, frameworkOptions } from '../../../infra/serverless/framework.ts'
import { type Package, packageService } from '../../../infra/serverless/package.ts'
import { parametersOf } from '../../../infra/serverless/service-definition.ts'
import { settings, WrongParameters } from '../../../infra/serverless/settings.ts'
import { retentionDays } from '../../../infra/serverless/template-parameters.ts'
import { issuers, packaged } from './packaged.ts'

const defaults = { ...parametersOf('default'), tableName: 'saml-providers-dev' } // the framework inserts the stage

function settingsWith(parameters: Record<string, unknown>) {
  const all: Record<string, unknown> = { ...defaults, issuers, ...parameters }
  return settings(async address => all[address.replace('param:', '')])
}

type Row = [fault: string, Record<string, unknown>]

describe('an invalid parameter is named in one sentence', () => {
  const burst = 'throttleBurst must be a whole number from 1 to 5000'
  const concurrency = 'reservedConcurrency must be a whole number from 1 to 1000, or empty'
  const table = 'tableName must be 3 to 255 letters, digits, underscores, dots and hyphens'
  const days = retentionDays.join(', ')

  // test/lib/config.test.ts has the rules of the functions' variables; here are their names as parameters.
  test.each<Row>([
    ['issuers is missing', { issuers: '' }],
    ['sunsetAt must not be earlier than deprecatedAt', { sunsetAt: '2020-01-01T00:00:00Z' }],
    ['sunsetEnforced must be true or false', { sunsetEnforced: 'yes' }],
    ['deprecatedAt must be an ISO 8601 time such as 2026-01-31T00:00:00Z', { deprecatedAt: '1.1.2025' }],
    ['responseTransferMode must be STREAM or BUFFERED', { responseTransferMode: 'stream' }],
    ...['x y', 'ab', 'a'.repeat(256), 'a/b'].map((tableName): Row => [table, { tableName }]),
    ['streamTimeoutSeconds must be a whole number from 2 to 900', { streamTimeoutSeconds: 901 }],
    [
      'streamTimeoutSeconds must be more than maxWaitSeconds',
      { maxWaitSeconds: 150, streamTimeoutSeconds: 150 },
    ],
    ...[0, 1001, 'none'].map((given): Row => [concurrency, { reservedConcurrency: given }]),
    ['finishEveryMinutes must be a whole number from 1 to 60', { finishEveryMinutes: 61 }],
    ['gatewayAccessLogs must be true or false', { gatewayAccessLogs: 'yes' }],
    ['alarmTopicArn must be the ARN of an SNS topic, or empty', { alarmTopicArn: 'arn:aws:sqs:a:1:q' }],
    [`logRetentionDays must be one of ${days}`, { logRetentionDays: 2 }],
    [
      `throttleRate must be a whole number from 1 to 10000; ${burst}`,
      { throttleRate: 0, throttleBurst: 5001 },
    ],
    [`retentionDays must be a whole number; ${burst}`, { retentionDays: -3, throttleBurst: 1.5 }],
  ])('%s', async (faults, parameters) => {
    await expect(settingsWith(parameters)).rejects.toEqual(new WrongParameters(faults))
  })

  test("the variables of a function have at most Lambda's 4,096 bytes of JSON", async () => {
    const sized = (audience: string) =>
      settingsWith({ issuers: JSON.stringify([{ issuer: 'https://a.example', audience }]) })
    const { environment } = await sized('ü')
    const left = 4096 - Buffer.byteLength(JSON.stringify(environment))
    await expect(sized(`ü${'x'.repeat(left)}`)).resolves.toBeDefined()
    await expect(sized(`ü${'x'.repeat(left + 1)}`)).rejects.toEqual(
      new WrongParameters(
        'as environment variables they have 4097 bytes of JSON, and Lambda allows 4096: shorten the longest, usually issuers, see infra/issuers.md',
      ),
    )
  })

  test.each([
    [{ sunsetAt: '2025-01-01T00:00:00Z', sunsetEnforced: 'true', tableName: 'a.B' }], // at deprecatedAt
    [{ throttleRate: '1', throttleBurst: 5000, gatewayAccessLogs: 'false', logRetentionDays: '3653' }],
    [{ maxWaitSeconds: 899, streamTimeoutSeconds: '900', reservedConcurrency: '1000' }],
    [{ maxWaitSeconds: 150, responseTransferMode: 'BUFFERED' }],
    [{ successorPath: 'https://api.example.com:8443/v2/sso-providers' }],
    [{ alarmTopicArn: 'arn:aws-us-gov:sns:us-gov-west-1:123456789012:a-b_c' }],
  ])('%j is valid', async parameters => {
    await expect(settingsWith(parameters)).resolves.toBeDefined()
  })
})

describe('the function that finishes removals', () => {
  test.each([
    [1, 50],
    [5, 290],
    [15, 890],
    [60, 890],
  ])('every %i minutes has %i s, less than its interval', async (finishEveryMinutes, timeoutSeconds) => {
    const made = await settingsWith({ finishEveryMinutes })
    expect(made.finishTimeoutSeconds).toBe(timeoutSeconds)
  })

  test.each([
    [15, 28, 2728],
    [1, 899, 1079],
  ])(
    'every %i minutes with a wait of %i s has an alarm for removals above %i s',
    async (finishEveryMinutes, maxWaitSeconds, seconds) => {
      const made = await settingsWith({ finishEveryMinutes, maxWaitSeconds, streamTimeoutSeconds: 900 })
      const { RemovalUnfinishedAlarm } = made.alarms.Resources
      const { Threshold, Period }: Record<string, unknown> = RemovalUnfinishedAlarm.Properties
      expect(Threshold).toBe(seconds)
      // From the end of a short run to the end of a long one, which EventBridge may begin a minute late.
      expect(Period).toBeGreaterThan(finishEveryMinutes * 60 + made.finishTimeoutSeconds + 60)
    },
  )
})

describe('npm run package', () => {
  const refusal = (...param: string[]): Promise<Package | string> =>
    packageService({ stage: 'dev', package: '.serverless', param }).catch((error: Error) => error.message)

  test('refuses what is no parameter before it builds', async () => {
    expect(await refusal('maxWait=9', 'noequals', `issuers=${issuers}`, 'readScope=')).toBe(
      'Parameters: unknown parameter maxWait; "noequals" is not of the form NAME=VALUE; readScope is empty; leave it out for its default.',
    )
  })

  test('passes several lines and empty values on, and prints the faults of the rest in one sentence', async () => {
    const wrong = { issuers: '[\n]', sunsetAt: '', documentationUrl: '', alarmTopicArn: '', realm: 'ä' }
    await expect(packaged('dev', wrong)).rejects.toThrow(
      /\nParameters: issuers must name at least one issuer; realm must be printable, without quotes\.\n$/,
    )
  })

  test('writes each option as the framework reads it', () => {
    const param = ['a=', 'b=1\n2']
    const values = { stage: 'dev', awsProfile: 'me', region: undefined, verbose: true, param }
    expect(frameworkOptions(values)).toEqual([
      ...['--stage', 'dev', '--aws-profile', 'me', '--verbose'],
      ...['--param', 'a= ', '--param', 'b=1 2'],
    ])
  })

  test('prints the whole output of a failure that is not about parameters', () => {
    expect(faultIn('Error:\nno space left')).toBe('Error:\nno space left')
    expect(faultIn('- errored with: Parameters: a is b.,\n- more')).toBe('Parameters: a is b.')
  })
})
