import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { expect, test } from 'vitest'
import ServicePlugin from '../../../infra/serverless/plugin.ts'

class FrameworkError extends Error {}

// test/infra/serverless/package.test.ts runs it in the framework.

/** The plugin in the framework, as far as it uses it, without a route to AWS. */
function openPlugin(param: string[], Resources = {}, options: object = {}, packaged = 'dev') {
  return new ServicePlugin(
    {
      service: {
        provider: { compiledCloudFormationTemplate: { Resources }, stackTags: { stage: packaged } },
      },
      classes: { Error: FrameworkError },
      extendConfiguration: () => {},
      getProvider: () => ({
        getStage: () => 'dev',
        getAwsSdkV3Config: async () => ({
          region: 'eu-central-1',
          credentials: { accessKeyId: 'a', secretAccessKey: 'a' },
          requestHandler: {
            handle: () => Promise.reject(Object.assign(new Error(''), { code: 'ECONNREFUSED' })),
          },
        }),
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
  expect(() => openPlugin(['realm= ', param])).toThrow(new FrameworkError(sentence))
})

const framework = createRequire(createRequire(import.meta.url).resolve('serverless/package.json'))

test.each(Object.keys(openPlugin([]).hooks))(
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
  const { hooks } = openPlugin(['maxWait=9', 'realm=a'])
  const sentence = 'Nothing is printed: unknown parameter maxWait.'
  expect(() => hooks['before:print:print']?.()).toThrow(new FrameworkError(sentence))
})

test('before a deployment the account is asked about the table, and that it cannot be is one sentence', async () => {
  const ProviderTable = { Properties: { TableName: 'a' } }
  const { hooks } = openPlugin([], { ProviderTable })
  await expect(hooks['before:deploy:deploy']?.()).rejects.toEqual(
    new FrameworkError('AWS cannot be asked (ECONNREFUSED).'),
  )
})

test('a deployment is forced, because the framework compares with the last package, and not with what runs', async () => {
  const options = { force: false }
  const { hooks } = openPlugin([], {}, options)
  expect(options.force).toBe(false) // other commands have another meaning of it
  await expect(hooks['before:deploy:deploy']?.()).rejects.toThrow('AWS cannot be asked')
  expect(options.force).toBe(true)
})

test.each([
  [
    'of another stage',
    [],
    'prod',
    'This package is of stage prod: deploy it with --stage prod, or package stage dev.',
  ],
  [
    'with parameters',
    ['leaveTable=a', 'realm=a'],
    'dev',
    'The package in folder has its parameters already: give realm when you package it.',
  ],
  ['with the table to leave', ['leaveTable=a'], 'dev', 'AWS cannot be asked (ECONNREFUSED).'],
])('the deployment of a package %s is refused or checked', async (_, param, packaged, sentence) => {
  const { hooks } = openPlugin(param, {}, { package: 'folder' }, packaged)
  await expect(hooks['before:deploy:deploy']?.()).rejects.toEqual(new FrameworkError(sentence))
})

test('before a rollback the account is asked, unless it only lists the packages', async () => {
  const rollback = (timestamp?: string) =>
    openPlugin([], {}, timestamp === undefined ? {} : { timestamp }).hooks['before:rollback:rollback']?.()
  await expect(rollback()).resolves.toBeUndefined()
  await expect(rollback('1795450676000')).rejects.toThrow('AWS cannot be asked')
  await expect(rollback('soon')).rejects.toBeInstanceOf(FrameworkError)
})

test.each([
  [
    'before:deploy:function:initialize',
    'A function is not deployed alone, because it must fit the roles, the API and the parameters: deploy the stage (npm run deploy -- --stage dev).',
  ],
  [
    'before:invoke:local:loadEnvVars',
    'A function cannot be called without its gateway and its table: `npm start` runs all of them on this machine.',
  ],
])('%s refuses a command that goes around the deployment', (hook, sentence) => {
  const { hooks } = openPlugin([])
  expect(() => hooks[hook]?.()).toThrow(new FrameworkError(sentence))
})
