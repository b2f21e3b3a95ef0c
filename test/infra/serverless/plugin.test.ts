import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { describe, expect, test } from 'vitest'
import ServicePlugin from '../../../infra/serverless/plugin.ts'
import type { Template } from '../../../infra/serverless/template.ts'
import { type Account, configOf, creating, creatingTemplate, usingTemplate } from './checks/account.ts'

class FrameworkError extends Error {}

// test/infra/serverless/package.test.ts runs it in the framework.

interface Opened {
  command?: string
  /** The options of the command; default: only `param`. */
  options?: object
  /** The stage of the package. */
  packaged?: string
  template?: Template
  /** Default: no route to AWS. */
  account?: Account
}

/** The plugin in the framework, as far as it uses it. */
function open(param: string[] = [], opened: Opened = {}) {
  const { command = 'deploy', options = {}, packaged = 'dev', template, account } = opened
  return new ServicePlugin(
    {
      service: {
        provider: {
          compiledCloudFormationTemplate: template ?? creatingTemplate('a'),
          stackTags: { stage: packaged },
        },
      },
      classes: { Error: FrameworkError },
      extendConfiguration: () => {},
      processedInput: { commands: command.split(' ') },
      getProvider: () => ({
        getStage: () => 'dev',
        getAwsSdkV3Config: async () => configOf(account ?? 'ECONNREFUSED'),
        getServerlessDeploymentBucketName: async () => 'bucket',
        getDeploymentPrefix: () => 'serverless',
        naming: { getStackName: () => 'stack', getCompiledTemplateS3Suffix: () => 'template.json' },
      }),
    },
    Object.assign(options, { param }),
  )
}

test.each([
  ['realm=', 'The framework takes no empty value: write --param "realm= ", with a space.'],
  ...['noequals', 'realm=first\nsecond', '=a'].map(param => [
    param,
    `--param "${param}" is not of the form NAME=VALUE, on one line.`,
  ]),
])('--param %j is refused in one sentence', (param, sentence) => {
  expect(() => open(['realm= ', param])).toThrow(new FrameworkError(sentence))
})

test.each(['package', 'rollback', 'deploy list'])('leaveTable is refused by %s', command => {
  const sentence = 'leaveTable is of one deployment: give it to npm run deploy alone.'
  expect(() => open(['leaveTable=a'], { command })).toThrow(new FrameworkError(sentence))
})

const framework = createRequire(createRequire(import.meta.url).resolve('serverless/package.json'))

test.each(Object.keys(open().hooks))(
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

test('an unknown parameter is refused before the configuration is printed', () => {
  const { hooks } = open(['maxWait=9', 'realm=a'], { command: 'print' })
  const sentence = 'Nothing is printed: unknown parameter maxWait.'
  expect(() => hooks['before:print:print']?.()).toThrow(new FrameworkError(sentence))
})

describe('before a deployment', () => {
  const isAsked = 'AWS cannot be asked (ECONNREFUSED).'

  test.each([
    ['the account is asked about the table', [], {}, isAsked],
    [
      'a package of another stage is refused',
      [],
      { packaged: 'prod' },
      'This package is of stage prod: deploy it with --stage prod, or package stage dev.',
    ],
    [
      'parameters beside a package are refused',
      ['leaveTable=a', 'realm=a'],
      { options: { package: 'folder' } },
      'The package in folder has its parameters already: give realm when you package it.',
    ],
    ['a package may leave a table', ['leaveTable=a'], { options: { package: 'folder' } }, isAsked],
  ])('%s', async (_, param, opened, sentence) => {
    await expect(open(param, opened).hooks['before:deploy:deploy']?.()).rejects.toEqual(
      new FrameworkError(sentence),
    )
  })

  test('the stage may leave the table that is named', async () => {
    const account = { stack: creating('a'), tables: { a: {}, b: {} } }
    const { hooks } = open(['leaveTable=a'], { template: usingTemplate('b'), account })
    await expect(hooks['before:deploy:deploy']?.()).resolves.toBeUndefined()
  })

  test('the framework is told to deploy what equals the last package', async () => {
    const options = { force: false }
    const { hooks } = open([], { options })
    expect(options.force).toBe(false) // other commands have another meaning of it
    await expect(hooks['before:deploy:deploy']?.()).rejects.toThrow(isAsked)
    expect(options.force).toBe(true)
  })
})

test('the package of a rollback is read before', async () => {
  const key = 'serverless/deprecated-saml-endpoints/dev/1795450676000-2026-11-23T16:17:56.000Z/template.json'
  const account = { stack: creating('a'), objects: { [`bucket/${key}`]: usingTemplate('b') } }
  const rollback = (options: object) =>
    open([], { command: 'rollback', options, account }).hooks['before:rollback:rollback']?.()
  await expect(rollback({})).resolves.toBeUndefined() // it lists the packages
  await expect(rollback({ timestamp: '1795450676000' })).rejects.toThrow('That package uses the table b')
  await expect(rollback({ timestamp: 'soon' })).rejects.toBeInstanceOf(FrameworkError)
})

test.each([
  ['before:deploy:function:initialize', 'A function is not deployed alone'],
  ['before:invoke:local:loadEnvVars', 'A function cannot be called without its gateway and its table'],
])('%s refuses a command that goes around the deployment', (hook, sentence) => {
  expect(() => open().hooks[hook]?.()).toThrow(FrameworkError)
  expect(() => open().hooks[hook]?.()).toThrow(sentence)
})
