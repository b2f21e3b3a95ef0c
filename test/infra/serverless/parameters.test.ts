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

describe('an invalid parameter is named in one sentence', () => {
  const time = 'must be an ISO 8601 time such as 2026-01-31T00:00:00Z'
  const rate = 'throttleRate must be a whole number from 1 to 10000'
  const burst = 'throttleBurst must be a whole number from 1 to 5000'
  const concurrency = 'reservedConcurrency must be a whole number from 1 to 1000, or empty'
  const table = 'tableName must be 3 to 255 letters, digits, underscores, dots and hyphens'

  test.each<[string, Record<string, unknown>]>([
    ['issuers is missing', { issuers: '' }],
    ['issuers must be JSON', { issuers: 'x' }],
    ['sunsetAt must not be earlier than deprecatedAt', { sunsetAt: '2020-01-01T00:00:00Z' }],
    ['sunsetEnforced needs sunsetAt', { sunsetEnforced: true }],
    ['sunsetEnforced must be true or false', { sunsetEnforced: 'yes' }],
    ['maxWaitSeconds must be at most 899', { maxWaitSeconds: 900 }],
    [`deprecatedAt ${time}`, { deprecatedAt: '1.1.2025' }],
    ['deprecatedAt is missing', { deprecatedAt: '' }],
    [`sunsetAt ${time}`, { sunsetAt: 'soon' }],
    [
      'contentCodings must be br, gzip, both in the order of preference, separated by a space, or identity for none',
      { contentCodings: 'zstd' },
    ],
    ['responseTransferMode must be STREAM or BUFFERED', { responseTransferMode: 'stream' }],
    ['streamTimeoutSeconds must be a whole number from 2 to 900', { streamTimeoutSeconds: 901 }],
    [
      'streamTimeoutSeconds must be more than maxWaitSeconds',
      { maxWaitSeconds: 150, streamTimeoutSeconds: 150 },
    ],
    ['documentationUrl must be an https URL', { documentationUrl: 'docs' }],
    [rate, { throttleRate: 0 }],
    [burst, { throttleBurst: 'many' }],
    [concurrency, { reservedConcurrency: 0 }],
    [concurrency, { reservedConcurrency: 1001 }],
    [concurrency, { reservedConcurrency: 'none' }],
    ['finishEveryMinutes must be a whole number from 1 to 60', { finishEveryMinutes: 61 }],
    ['gatewayAccessLogs must be true or false', { gatewayAccessLogs: 'yes' }],
    [
      'alarmTopicArn must be the ARN of an SNS topic, or empty',
      { alarmTopicArn: 'arn:aws:sqs:eu-central-1:123456789012:q' },
    ],
    [`logRetentionDays must be one of ${retentionDays.join(', ')}`, { logRetentionDays: 2 }],
    [`${rate}; ${burst}`, { throttleRate: 1.5, throttleBurst: 5001 }],
    [`retentionDays must be a whole number; ${burst}`, { retentionDays: -3, throttleBurst: 'x' }],
    [table, { tableName: 'x y' }],
    [table, { tableName: 'ab' }],
    [table, { tableName: 'a'.repeat(256) }],
    [table, { tableName: 'a/b' }],
    ['tableName is missing', { tableName: '' }],
  ])('%s', async (faults, parameters) => {
    await expect(settingsWith(parameters)).rejects.toEqual(new WrongParameters(faults))
  })

  test.each([
    [{ sunsetAt: '2025-01-01T00:00:00Z' }], // equal to deprecatedAt
    [{ sunsetAt: '2027-01-01T00:00:00Z', sunsetEnforced: 'true' }],
    [{ throttleRate: '1', throttleBurst: 5000, gatewayAccessLogs: 'false', logRetentionDays: '3653' }],
    [{ tableName: 'a.B' }],
    [{ maxWaitSeconds: 899, streamTimeoutSeconds: '900' }],
    [{ maxWaitSeconds: 150, responseTransferMode: 'BUFFERED' }],
    [{ reservedConcurrency: '1000', successorPath: 'https://api.example.com:8443/v2/sso-providers' }],
    [{ alarmTopicArn: 'arn:aws-us-gov:sns:us-gov-west-1:123456789012:a-b_c' }],
  ])('%j is valid', async parameters => {
    await expect(settingsWith(parameters)).resolves.toBeDefined()
  })
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
    const values = {
      stage: 'dev',
      awsProfile: 'me',
      region: undefined,
      verbose: true,
      param: ['a=', 'b=1\n2'],
    }
    expect(frameworkOptions(values)).toEqual(
      ['--stage dev', '--aws-profile me', '--verbose', '--param a= ', '--param b=1 2'].flatMap(text =>
        text.includes(' ') ? [text.slice(0, text.indexOf(' ')), text.slice(text.indexOf(' ') + 1)] : [text],
      ),
    )
  })

  test('prints the whole output of a failure that is not about parameters', () => {
    expect(faultIn('Error:\nno space left')).toBe('Error:\nno space left')
    expect(faultIn('- errored with: Parameters: a is b.,\n- more')).toBe('Parameters: a is b.')
  })
})
