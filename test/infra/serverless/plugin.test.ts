import { expect, test } from 'vitest'
import ServicePlugin from '../../../infra/serverless/plugin.ts'

class FrameworkError extends Error {}

/** The framework, as far as the plugin uses it before a package is made. */
function openPlugin(param: string[], stage = 'dev', Resources = {}) {
  const extensions: unknown[] = []
  const plugin = new ServicePlugin(
    {
      service: { provider: { compiledCloudFormationTemplate: { Resources } } },
      classes: { Error: FrameworkError },
      extendConfiguration: (...extension) => void extensions.push(extension),
      getProvider: () => ({
        getStage: () => stage,
        getAwsSdkV3Config: async () => ({
          region: 'eu-central-1',
          credentials: { accessKeyId: 'a', secretAccessKey: 'a' },
          requestHandler: {
            handle: () => Promise.reject(Object.assign(new Error(''), { code: 'ECONNREFUSED' })),
          },
        }),
        naming: { getStackName: () => 'stack' },
      }),
    },
    { param },
  )
  return { plugin, extensions }
}

test("the parameters of a stage's file come before the stage's defaults", () => {
  const { extensions } = openPlugin([], 'localstack')
  expect(extensions).toEqual([
    [['params', 'localstack'], { responseTransferMode: 'BUFFERED', contentCodings: 'identity' }],
  ])
})

test.each([
  ['realm=', 'The framework takes no empty value: write --param "realm= ", with a space.'],
  ...['noequals', 'realm=first\nsecond', '=a'].map(param => [
    param,
    `--param "${param}" is not of the form NAME=VALUE, on one line.`,
  ]),
])('--param %j is refused in one sentence', (param, sentence) => {
  expect(() => openPlugin(['realm= ', param])).toThrow(new FrameworkError(sentence))
})

test.each([
  ['before:package:cleanup', 'Nothing is packaged: unknown parameter maxWait.'],
  ['before:print:print', 'Nothing is printed: unknown parameter maxWait.'],
])('an unknown parameter is refused: %s', (hook, sentence) => {
  const { plugin } = openPlugin(['maxWait=9', 'realm=a'])
  expect(() => plugin.hooks[hook]?.()).toThrow(new FrameworkError(sentence))
})

test('with wrong parameters, the other commands have settings of the service and its stage', async () => {
  const { computed } = openPlugin([]).plugin.configurationVariablesSources
  const given: Record<string, string> = { 'self:service': 'its-service', 'sls:stage': 'its-stage' }
  const { value } = await computed.resolve({
    address: 'operations',
    resolveVariable: async address => given[address],
  })
  expect(JSON.stringify(value)).toMatch(/its-service-its-stage-/)
})

test('before a deployment the account is asked about the table, and that it cannot be is one sentence', async () => {
  const ProviderTable = { Properties: { TableName: 'a' } }
  const { plugin } = openPlugin([], 'dev', { ProviderTable })
  await expect(plugin.hooks['before:deploy:deploy']?.()).rejects.toEqual(
    new FrameworkError('AWS cannot be asked (ECONNREFUSED).'),
  )
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
  const { plugin } = openPlugin([])
  expect(() => plugin.hooks[hook]?.()).toThrow(new FrameworkError(sentence))
})
