import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { retentionDays } from '../../../infra/serverless/template-parameters.ts'
import { settings } from '../../../infra/serverless/settings.ts'
import { issuers, root } from './packaged.ts'

const run = promisify(execFile)
const serviceFile = parse(readFileSync(join(root, 'serverless.yml'), 'utf8'), { logLevel: 'error' })
const defaults = { ...serviceFile.params.default, tableName: 'saml-providers-dev' } // the framework inserts the stage

describe('an invalid parameter stops the packaging with one sentence that names it', () => {
  test.each([
    ['Parameters: issuers is missing.', {}],
    ['Parameters: issuers must be JSON.', { issuers: 'x' }],
    [
      'Parameters: sunsetAt must not be earlier than deprecatedAt.',
      { issuers, sunsetAt: '2020-01-01T00:00:00Z' },
    ],
    ['Parameters: sunsetEnforced needs sunsetAt.', { issuers, sunsetEnforced: true }],
    ['Parameters: maxWaitSeconds must be at most 899.', { issuers, maxWaitSeconds: 900 }],
    [
      'Parameters: deprecatedAt must be an ISO 8601 time such as 2026-01-31T00:00:00Z.',
      { issuers, deprecatedAt: '1.1.2025' },
    ],
    ['Parameters: deprecatedAt is missing.', { issuers, deprecatedAt: '' }],
    [
      'Parameters: sunsetAt must be an ISO 8601 time such as 2026-01-31T00:00:00Z.',
      { issuers, sunsetAt: 'soon' },
    ],
    [
      'Parameters: contentCodings must be br, gzip, both in the order of preference, separated by a space, or identity for none.',
      { issuers, contentCodings: 'zstd' },
    ],
    [
      'Parameters: responseTransferMode must be STREAM or BUFFERED.',
      { issuers, responseTransferMode: 'stream' },
    ],
    [
      'Parameters: streamTimeoutSeconds must be a whole number from 2 to 900.',
      { issuers, streamTimeoutSeconds: 901 },
    ],
    [
      'Parameters: streamTimeoutSeconds must be more than maxWaitSeconds.',
      { issuers, maxWaitSeconds: 150, streamTimeoutSeconds: 150 },
    ],
    ['Parameters: documentationUrl must be an https URL.', { issuers, documentationUrl: 'docs' }],
    ['Parameters: sunsetEnforced must be true or false.', { issuers, sunsetEnforced: 'yes' }],
    ['Parameters: throttleRate must be a whole number from 1 to 10000.', { issuers, throttleRate: 0 }],
    ['Parameters: throttleBurst must be a whole number from 1 to 5000.', { issuers, throttleBurst: 'many' }],
    ...[0, 1001, 'none'].map((reservedConcurrency): [string, Record<string, unknown>] => [
      'Parameters: reservedConcurrency must be a whole number from 1 to 1000, or empty.',
      { issuers, reservedConcurrency },
    ]),
    ['Parameters: gatewayAccessLogs must be true or false.', { issuers, gatewayAccessLogs: 'yes' }],
    [
      'Parameters: alarmTopicArn must be the ARN of an SNS topic, or empty.',
      { issuers, alarmTopicArn: 'arn:aws:sqs:eu-central-1:123456789012:q' },
    ],
    [
      `Parameters: logRetentionDays must be one of ${retentionDays.join(', ')}.`,
      { issuers, logRetentionDays: 2 },
    ],
    [
      'Parameters: throttleRate must be a whole number from 1 to 10000; throttleBurst must be a whole number from 1 to 5000.',
      { issuers, throttleRate: 1.5, throttleBurst: 5001 },
    ],
    [
      'Parameters: retentionDays must be a whole number; throttleBurst must be a whole number from 1 to 5000.',
      { issuers, retentionDays: -3, throttleBurst: 'x' },
    ],
    ...['x y', 'ab', 'a'.repeat(256), 'a/b'].map((tableName): [string, Record<string, unknown>] => [
      'Parameters: tableName must be 3 to 255 letters, digits, underscores, dots and hyphens.',
      { issuers, tableName },
    ]),
    ['Parameters: tableName is missing.', { issuers, tableName: '' }],
  ])('%s', async (sentence, parameters) => {
    const all: Record<string, unknown> = { ...defaults, ...parameters }
    const failure = settings(async address => all[address.replace('param:', '')])
    await expect(failure).rejects.toBe(sentence)
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
    const all: Record<string, unknown> = { ...defaults, issuers, ...parameters }
    await expect(settings(async address => all[address.replace('param:', '')])).resolves.toBeDefined()
  })

  test.each([
    ['Parameters: issuers is missing.', 'realm=a'],
    [
      'Parameters: sunsetAt must not be earlier than deprecatedAt.',
      `issuers=${issuers}`,
      'sunsetAt=2024-12-31T23:59:59Z',
    ],
    [
      'Parameters: unknown parameter maxWait; "noequals" is not of the form NAME=VALUE; readScope is empty; leave it out for its default.',
      ...['maxWait=9', 'noequals', `issuers=${issuers}`, 'readScope='],
    ],
    // Several lines and empty values are passed on unchanged.
    [
      'Parameters: issuers must name at least one issuer; realm must be printable, without quotes.',
      ...['issuers=[\n]', 'sunsetAt=', 'documentationUrl=', 'alarmTopicArn=', 'realm=ä'],
    ],
  ])('%s is printed by the command', async (sentence, ...parameters) => {
    const options = parameters.map(parameter => `--param=${parameter}`)
    const failure = run(process.execPath, ['infra/commands/package.ts', ...options], { cwd: root })
    await expect(failure).rejects.toMatchObject({ code: 1, stderr: `${sentence}\n` })
  })
})
