import { generateKeyPairSync } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import {
  faultyRoutes,
  functionsIn,
  longStageName,
  parametersOf,
} from '../../../infra/serverless/service-definition.ts'
import { settings } from '../../../infra/serverless/settings.ts'
import { retentionDays } from '../../../infra/serverless/template-parameters.ts'
import { copyOfProject, writePackage } from '../../support/machine.ts'
import { issuers } from './packaged.ts'

const defaults = { ...parametersOf('default'), tableName: 'saml-providers-dev' } // the framework inserts the stage

function settingsWith(parameters: Record<string, unknown>) {
  const all: Record<string, unknown> = { ...defaults, issuers, ...parameters }
  return settings(async address => all[address.replace('param:', '')], '10.10.10+4b841ff0c2d1-dirty')
}

describe('an invalid parameter is named in one sentence', () => {
  // test/lib/config.test.ts has the rules of the functions' variables; here are their names as parameters.
  const burst = 'throttleBurst must be a whole number from 1 to 5000'
  test.each<[fault: string, Record<string, unknown>]>([
    ['issuers is missing', { issuers: '' }],
    ['sunsetAt must not be earlier than deprecatedAt', { sunsetAt: '2020-01-01T00:00:00Z' }],
    ['responseTransferMode must be STREAM or BUFFERED', { responseTransferMode: 'stream' }],
    ['tableName must be 3 to 255 letters, digits, underscores, dots and hyphens', { tableName: 'a/b' }],
    ['streamTimeoutSeconds must be a whole number from 2 to 900', { streamTimeoutSeconds: 901 }],
    ['finishEveryMinutes must be a whole number from 1 to 60', { finishEveryMinutes: 61 }],
    [
      'streamTimeoutSeconds must be more than maxWaitSeconds',
      { maxWaitSeconds: 150, streamTimeoutSeconds: 150 },
    ],
    ...[0, 1001, 'none'].map((reservedConcurrency): [string, Record<string, unknown>] => [
      'reservedConcurrency must be a whole number from 1 to 1000, or empty',
      { reservedConcurrency },
    ]),
    ['readScope is empty; leave it out for its default', { readScope: '' }],
    ['createTable must be true or false', { createTable: 'no' }],
    ['alarmTopicArn must be the ARN of an SNS topic, or empty', { alarmTopicArn: 'arn:aws:sqs:a:1:q' }],
    [`logRetentionDays must be one of ${retentionDays.join(', ')}`, { logRetentionDays: 2 }],
    [
      `throttleRate must be a whole number from 1 to 10000; ${burst}`,
      { throttleRate: 0, throttleBurst: 5001 },
    ],
    [`retentionDays must be a whole number; ${burst}`, { retentionDays: -3, throttleBurst: 1.5 }],
  ])('%s', async (faults, parameters) => {
    await expect(settingsWith(parameters)).rejects.toEqual(new Error(faults))
  })

  test("the variables of a function have at most Lambda's 4,096 bytes of JSON", async () => {
    const sized = (audience: string) =>
      settingsWith({ issuers: JSON.stringify([{ issuer: 'https://a.example', audience }]) })
    const { environment } = await sized('ü')
    const left = 4096 - Buffer.byteLength(JSON.stringify(environment))
    await expect(sized(`ü${'x'.repeat(left)}`)).resolves.toBeDefined()
    await expect(sized(`ü${'x'.repeat(left + 1)}`)).rejects.toEqual(
      new Error(
        'as environment variables they have 4097 bytes of JSON, and Lambda allows 4096: shorten the longest, usually issuers, see infra/issuers.md',
      ),
    )
  })

  // infra/issuers.md says so.
  test.each([
    [8, 'RS256', () => generateKeyPairSync('rsa', { modulusLength: 2048 })],
    [18, 'ES256', () => generateKeyPairSync('ec', { namedCurve: 'P-256' })],
  ] as const)('%i inlined keys for %s fit in the variables of a function', async (count, alg, generate) => {
    const jwk = generate().publicKey.export({ format: 'jwk' })
    const keys = Array.from({ length: count }, (_, n) => ({ kid: `key-${n}`, use: 'sig', alg, ...jwk }))
    const issuer = { issuer: 'https://login.example.com', audience: 'administration', jwks: { keys } }
    await expect(settingsWith({ issuers: JSON.stringify([issuer]) })).resolves.toBeDefined()
  })

  test.each([
    [{ sunsetAt: '2025-01-01T00:00:00Z', sunsetEnforced: 'true', tableName: 'a.B' }], // at deprecatedAt
    [{ maxWaitSeconds: 899, streamTimeoutSeconds: '900', throttleBurst: 5000, reservedConcurrency: '1000' }],
    [{ issuers: JSON.parse(issuers) }], // as a stage's file may have them
    [{ maxWaitSeconds: 150, responseTransferMode: 'BUFFERED', logRetentionDays: '3653' }],
    [{ alarmTopicArn: 'arn:aws-us-gov:sns:us-gov-west-1:123456789012:a-b_c', gatewayAccessLogs: 'false' }],
  ])('%j is valid', async parameters => {
    await expect(settingsWith(parameters)).resolves.toBeDefined()
  })
})

test.each([
  [1, 'rate(1 minute)', 50],
  [15, 'rate(15 minutes)', 890],
  [60, 'rate(60 minutes)', 890],
])('a run every %i minutes ends before the next', async (finishEveryMinutes, finishSchedule, seconds) => {
  const wanted = { finishSchedule, finishEveryMs: finishEveryMinutes * 60_000, finishTimeoutSeconds: seconds }
  expect(await settingsWith({ finishEveryMinutes })).toMatchObject(wanted)
})

test('the alarms follow the parameters', async () => {
  const alarmTopicArn = 'arn:aws:sns:eu-central-1:123456789012:operators'
  const given = { maxWaitSeconds: 60, throttleRate: 200, finishEveryMinutes: 5, alarmTopicArn }
  const { RemovalUnfinishedAlarm, RefusalFloodAlarm } = (await settingsWith(given)).operations.Resources
  const AlarmActions = [alarmTopicArn]
  expect(RemovalUnfinishedAlarm).toMatchObject({ Properties: { Threshold: 60 + 3 * 300, AlarmActions } })
  expect(RefusalFloodAlarm).toMatchObject({ Properties: { Threshold: 0.1 * 200 * 300 } })
})

test('packaging names all that is wrong in one sentence', async () => {
  const folder = copyOfProject()
  const stage = 'a'.repeat(20)
  const change = (file: string, to: (text: string) => string) =>
    writeFileSync(join(folder, file), to(readFileSync(join(folder, file), 'utf8')))
  change('serverless.yml', text => text.replace('providers/{saml_provider_id}', '{saml_provider_id}/x'))
  change('serverless.yml', text => text.replace('  prod:', `  ${stage}: # with logRetentionDays: 365`))
  const file = 'params: { issuers: [], logRetentionDays: 2 }\nregion: eu-west-1\nenvironment: {}'
  writeFileSync(join(folder, `infra/stages/${stage}.yml`), file)
  const wrong = ['maxWait=9', 'throttleRate=0', 'sunsetAt=soon', 'readScope= ', `issuers=${issuers}`]
  const given = wrong.map((parameter): [string, string] => ['param', parameter])
  const printed = await writePackage(folder, [['stage', stage], ...given]).catch(({ message }) => message)
  const faults = [
    `the stage ${stage} must have at most 19 characters`,
    `infra/stages/${stage}.yml: unknown entry environment`,
    'unknown parameter maxWait',
    'the path api/v2/saml/{saml_provider_id}/x may have one variable only, as its last part',
    'readScope is empty; leave it out for its default',
    'sunsetAt must be an ISO 8601 time such as 2026-01-31T00:00:00Z',
    'throttleRate must be a whole number from 1 to 10000',
    `logRetentionDays must be one of ${retentionDays.join(', ')}`,
  ]
  expect(printed).toContain(`\nNothing is packaged: ${faults.join('; ')}.\n`)
})

test('a path may have one variable only, as its last part', () => {
  const valid = ['api/v2/saml', 'api/v2/saml/providers/{saml_provider_id}']
  const faulty = ['tenants/{tenant_id}/saml/{id}', 'idp/{id}/removal', 'idp/saml-{id}', 'idp/{id+}']
  const wanted = faulty.map(path => `the path ${path} may have one variable only, as its last part`)
  const response = { transferMode: 'STREAM' }
  const routes = [...valid, ...faulty].map(path => ({ method: 'get', path, response }))
  expect(faultyRoutes(routes)).toEqual(wanted)
})

test('a route in one line is read, and refused because it would be buffered', () => {
  const handler = 'a.handler'
  const response = { transferMode: 'STREAM' }
  const [one, other] = functionsIn([
    { one: { handler, events: [{ http: 'GET /api/v2/saml/' }] } },
    { other: { handler, events: [{ http: { method: 'DELETE', path: 'api', response } }, {}] } },
  ])
  expect(one).toMatchObject({ name: 'one', handler, http: [{ method: 'get', path: 'api/v2/saml' }] })
  expect(other?.http).toEqual([{ method: 'delete', path: 'api', response }])
  expect(faultyRoutes([one, other].flatMap(found => found?.http ?? []))).toEqual([
    'the route get api/v2/saml needs response.transferMode, as the others have it',
  ])
})

test("a stage's name may have 19 characters, because a function's may have 64", () => {
  expect(longStageName('a'.repeat(19))).toEqual([])
})
