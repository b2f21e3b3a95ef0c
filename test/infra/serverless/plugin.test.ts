import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import ServicePlugin from '../../../infra/serverless/plugin.ts'
import { defaults, localSettings } from '../../../infra/serverless/service-definition.ts'
import { faultyParameters } from '../../../infra/serverless/template-parameters.ts'
import { copyOfProject, writePackage } from '../../support/machine.ts'
import { issuers } from './packaged.ts'

class FrameworkError extends Error {}

const resourcesOf = (stage: string) => ({ ApiGatewayStage: { Properties: { StageName: stage } } })

/** The plugin in the framework, as far as it uses it. */
const open = (options: object = {}, packaged = 'dev') =>
  new ServicePlugin(
    {
      service: {
        provider: { environment: {}, compiledCloudFormationTemplate: { Resources: resourcesOf(packaged) } },
        functions: {},
        resources: { Resources: {} },
      },
      classes: { Error: FrameworkError },
      extendConfiguration: () => {},
    },
    Object.assign(options, { stage: 'dev', ...options }),
  )

const require = createRequire(import.meta.url)
const framework = createRequire(require.resolve('serverless/package.json'))
const commands: Map<string, { lifecycleEvents: string[] }> = framework(
  './lib/cli/commands-schema/aws-service.js',
)

// The others do something to each package.
test.each(Object.keys(open().hooks).filter(hook => hook.startsWith('before:deploy:')))(
  'the framework has the event %s',
  hook => {
    const [, command = '', event] = /^before:(.+):(\w+)$/.exec(hook) ?? []
    expect(commands.get(command.replace(':', ' '))?.lifecycleEvents).toContain(event)
  },
)

test.each([
  ['a function alone', 'before:deploy:function:initialize', {}, 'dev', 'A function is not deployed alone'],
  [
    'a package of another stage',
    'before:deploy:deploy',
    {},
    'prod',
    'This package is of stage prod: deploy it with --stage prod.',
  ],
  [
    'parameters beside a package',
    'before:deploy:deploy',
    { package: 'folder', param: ['maxWaitSeconds=9'] },
    'dev',
    'The package in folder has its parameters already: give --param when you package it.',
  ],
])('%s is not deployed', (_, hook, options, packaged, sentence) => {
  const deploy = () => open(options, packaged).hooks[hook]?.()
  expect(deploy).toThrow(FrameworkError)
  expect(deploy).toThrow(sentence)
})

// The last package may have failed.
test('a deployment that equals the last package is not skipped', () => {
  const options = { force: false }
  open(options).hooks['before:deploy:deploy']?.()
  expect(options.force).toBe(true)
})

// As after `npm run package --stage=prod`, whose option npm takes.
test('a command without a stage is refused', async () => {
  const folder = copyOfProject()
  const sentence = 'Name the stage: npm run COMMAND -- --stage NAME, with the "--" that npm needs.'
  await expect(writePackage(folder, [['param', `issuers=${issuers}`]])).rejects.toThrow(sentence)
})

test('packaging names all that is wrong in one sentence', async () => {
  const folder = copyOfProject()
  const entries = 'region: eu-west-1\nrollbackConfiguration: { RollbackTriggers: [] }\ntag: {}'
  const file = `params: { issuers: [], retentionDay: 30, throttleRate: 0 }\n${entries}`
  writeFileSync(join(folder, 'infra/stages/prod.yml'), file)
  const wrong = ['createTable=False', 'gatewayAccessLogs=1', 'streamTimeoutSeconds=901']
  wrong.push('reservedConcurrency=-1', 'alarmTopicArn=operators', 'maxWait=9', 'sunsetAt=soon', 'readScope= ')
  const given = wrong.map((parameter): [string, string] => ['param', parameter])
  await expect(writePackage(folder, [['stage', 'prod'], ...given])).rejects.toThrow(
    `\nNothing is packaged. In infra/stages/prod.yml or --param: ${[
      'unknown entry tag',
      'unknown parameter retentionDay',
      'unknown parameter maxWait',
      'createTable must be true or false',
      'gatewayAccessLogs must be true or false',
      'streamTimeoutSeconds must be at most 900',
      'throttleRate must be at least 1',
      'reservedConcurrency must be a whole number, or empty',
      'alarmTopicArn must be the ARN of an SNS topic, or empty',
      'issuers must not be empty',
      'readScope must be one scope (RFC 6749 §3.3)',
      'sunsetAt must be an ISO 8601 time such as 2026-01-31T00:00:00Z',
    ].join('; ')}.\n`,
  )
})

test('a stage whose functions would have names that Lambda refuses is not packaged', async () => {
  const folder = copyOfProject()
  const named = (length: number) =>
    writePackage(folder, [
      ['stage', 's'.repeat(length)],
      ['param', `issuers=${issuers}`],
    ])
  const sentence =
    "Shorten the stage's name by 1, because Lambda takes function names of at most 64 characters."
  await expect(named(20)).rejects.toThrow(`\nNothing is packaged. ${sentence}\n`)
  await named(19)
})

test('a stage without parameters is told where they belong', async () => {
  const folder = copyOfProject()
  writeFileSync(join(folder, 'infra/stages/empty.yml'), 'params:')
  await expect(writePackage(folder, [['stage', 'empty']])).rejects.toThrow(
    '\nNothing is packaged. In infra/stages/empty.yml or --param: issuers is required.\n',
  )
})

test.each([
  ['example', 'eu-central-1'],
  ['dev', 'us-west-2'],
])('the stage %s is in the region of its file, else in that of AWS_REGION', (stage, region) => {
  onTestFinished(() => void vi.unstubAllEnvs())
  vi.stubEnv('AWS_REGION', 'us-west-2')
  const print = ['print', `--stage=${stage}`, '--path=provider.region', '--format=text']
  const printed = execFileSync(process.execPath, ['node_modules/serverless/bin/serverless.js', ...print])
  expect(String(printed).trim()).toBe(region)
})

test.each([
  ['29', []],
  ['28', ['streamTimeoutSeconds must be more than maxWaitSeconds']],
])('a streamed request whose longest wait is 28 s may have %s s', (streamTimeoutSeconds, faults) => {
  const usual = Object.entries(defaults).map(([name, value]) => [name, String(value ?? '')])
  expect(faultyParameters({ ...Object.fromEntries(usual), streamTimeoutSeconds })).toEqual(faults)
})

test.each([
  ['throttleRate', 'many', 'must be a whole number'],
  ['reservedConcurrency', '0', 'must be at least 1'],
])('the local settings refuse a wrong %s, which no function reads: %s', (name, value, fault) => {
  const own = { issuers: '[]', tableName: 'table', [name]: value }
  expect(() => localSettings(own)).toThrow(`Configuration: ${name} ${fault}`)
})

test('the version has what Git knows of the commit', () => {
  const folder = copyOfProject()
  const call = (program: string, ...words: string[]) =>
    execFileSync(program, words, { cwd: folder, encoding: 'utf8' }).trim()
  const version = () => call(process.execPath, '--print', 'require("./infra/serverless/version.cjs")()')
  const own = JSON.parse(readFileSync('package.json', 'utf8')).version
  expect(version()).toBe(own) // no repository
  call('git', 'init', '--quiet')
  expect(version()).toBe(own) // no commit
  call('git', 'add', 'package.json')
  const somebody = ['-c', 'user.name=somebody', '-c', 'user.email=', '-c', 'commit.gpgSign=false']
  call('git', ...somebody, 'commit', '--quiet', '--no-verify', '--message', 'all')
  const named = `${own}+${call('git', 'rev-parse', '--short=12', 'HEAD')}`
  expect(version()).toBe(named)
  writeFileSync(join(folder, 'package.json'), `${readFileSync('package.json', 'utf8')}\n`)
  expect(version()).toBe(`${named}-dirty`)
})
