import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import ServicePlugin from '../../../infra/serverless/plugin.ts'
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
        resources: { Resources: {} },
      },
      classes: { Error: FrameworkError },
      extendConfiguration: () => {},
    },
    Object.assign(options, { stage: 'dev', ...options }),
  )

const framework = createRequire(createRequire(import.meta.url).resolve('serverless/package.json'))

test.each(Object.keys(open().hooks).filter(hook => hook !== 'initialize'))(
  'the framework has the event %s, which it would drop in silence',
  hook => {
    const [, command = '', event = ''] = /^(?:before|after):(.+):(\w+)$/.exec(hook) ?? []
    const commands = framework('./lib/cli/commands-schema/aws-service.js')
    const ofPackage = readFileSync(framework.resolve('./lib/plugins/aws/package/index.js'), 'utf8')
    const [, ofFinalize = ''] = /finalize: \{\s+lifecycleEvents: \[([^\]]+)\]/.exec(ofPackage) ?? []
    const events =
      command === 'aws:package:finalize'
        ? [...ofFinalize.matchAll(/\w+/g)].map(([name]) => name)
        : commands.get(command.replaceAll(':', ' '))?.lifecycleEvents
    expect(events).toContain(event)
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
    { package: 'folder', param: ['tracing=true'] },
    'dev',
    'The package in folder has its parameters already: give --param when you package it.',
  ],
])('%s is not deployed', (_, hook, options, packaged, sentence) => {
  const deploy = () => open(options, packaged).hooks[hook]?.()
  expect(deploy).toThrow(FrameworkError)
  expect(deploy).toThrow(sentence)
})

test('a deployment is never skipped because it equals the last package, which may have failed', () => {
  const options = { force: false }
  open(options).hooks['before:deploy:deploy']?.()
  expect(options.force).toBe(true)
})

test('a command without a stage is refused, as after `npm run package --stage=prod`, whose option npm takes', async () => {
  const folder = copyOfProject()
  const sentence = 'Name the stage: npm run deploy -- --stage NAME, with the "--" that npm needs.'
  await expect(writePackage(folder, [['param', `issuers=${issuers}`]])).rejects.toThrow(sentence)
})

test('packaging names all that is wrong in one sentence', async () => {
  const folder = copyOfProject()
  const file = 'params: { issuers: [], retentionDay: 30, throttleRate: 0 }\nregion: eu-west-1\ntag: {}'
  writeFileSync(join(folder, 'infra/stages/prod.yml'), file)
  const wrong = ['createTable=False', 'gatewayAccessLogs=1', 'tracing=TRUE', 'streamTimeoutSeconds=long']
  wrong.push('reservedConcurrency=0', 'alarmTopicArn=operators', 'maxWait=9', 'sunsetAt=soon', 'readScope= ')
  const printed = async (...parameters: string[]) => {
    const given = parameters.map((one): [string, string] => ['param', one])
    return writePackage(folder, [['stage', 'prod'], ...given]).catch(({ message }) => message)
  }
  expect(await printed(...wrong)).toContain(
    `\nNothing is packaged: ${[
      'unknown entry tag',
      'unknown parameter retentionDay',
      'unknown parameter maxWait',
      'createTable must be true or false',
      'gatewayAccessLogs must be true or false',
      'tracing must be true or false',
      'streamTimeoutSeconds must be a whole number',
      'throttleRate must be at least 1',
      'reservedConcurrency must be at least 1',
      'alarmTopicArn must be the ARN of an SNS topic, or empty',
      'issuers must not be empty',
      'readScope must be one scope (RFC 6749 §3.3)',
      'sunsetAt must be an ISO 8601 time such as 2026-01-31T00:00:00Z',
    ].join('; ')}.\n`,
  )
  writeFileSync(
    join(folder, 'infra/stages/prod.yml'),
    'params: { maxWaitSeconds: 60, streamTimeoutSeconds: 60 }',
  )
  expect(await printed(`issuers=${issuers}`)).toContain(
    '\nNothing is packaged: streamTimeoutSeconds must be more than maxWaitSeconds.\n',
  )
})

test('the version has the commit, and whether it was changed; where Git fails it is that of package.json', () => {
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
