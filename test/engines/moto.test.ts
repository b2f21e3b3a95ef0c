import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { issuers } from '../infra/serverless/packaged.ts'
import { shapesOf } from '../infra/serverless/fake-aws/aws-call.ts'
import { runCommand } from '../infra/serverless/run-command.ts'
import { expectRecorded, type Recorded } from '../infra/serverless/recorded/recorded.ts'
import { recordingProxy } from './recording-proxy.ts'

const endpoint = process.env.AWS_ENDPOINT_URL ?? ''
const isReachable = await fetch(`${endpoint}/moto-api/`).then(
  ({ ok }) => ok,
  () => false,
)
if (!isReachable)
  process.stdout.write('test/engines/moto.test.ts is skipped: moto is not at AWS_ENDPOINT_URL.\n')

const stage = 'engines'
const maxMs = 600_000

describe.skipIf(!isReachable)('moto', { timeout: maxMs }, () => {
  const received: Recorded = { deploy: [], update: [], undeploy: [] }
  const parameters = [`issuers=${issuers}`, `tableName=engines-${randomUUID()}`]
  let proxy: Awaited<ReturnType<typeof recordingProxy>>
  const run = (name: string, ...given: string[]) =>
    runCommand(name, ['--stage', stage, ...given.flatMap(parameter => ['--param', parameter])], {
      AWS_ENDPOINT_URL: proxy.url,
    })
  beforeAll(async () => {
    proxy = await recordingProxy(endpoint)
  })
  afterAll(() => proxy.stop())

  /** The environment variables of the deployed list function. */
  const variables = async () => {
    const scope = 'x/20261121/eu-central-1/lambda/aws4_request'
    const authorization = `AWS4-HMAC-SHA256 Credential=${scope}, SignedHeaders=host, Signature=0`
    const name = `deprecated-saml-endpoints-${stage}-listSamlProviders`
    const response = await fetch(`${endpoint}/2015-03-31/functions/${name}`, { headers: { authorization } })
    if (!response.ok) return undefined
    const { Configuration } = (await response.json()) as {
      Configuration: { Environment: { Variables: Record<string, string> } }
    }
    return Configuration.Environment.Variables
  }

  test('receives a deployment', async () => {
    const { code, stdout, stderr } = await run('deploy', ...parameters)
    received.deploy = shapesOf(proxy.take(), stage)
    expect(code, stdout + stderr).toBe(0)
    expect(await variables()).toMatchObject({ RETENTION_DAYS: '7' })
  })

  test('applies a changed parameter', async () => {
    const { code, stdout, stderr } = await run('deploy', ...parameters, 'retentionDays=8')
    received.update = shapesOf(proxy.take(), stage)
    expect(code, stdout + stderr).toBe(0)
    expect(await variables()).toMatchObject({ RETENTION_DAYS: '8' })
  })

  test('keeps its table when a deployment names another one', async () => {
    const { code, stderr } = await run('deploy', ...parameters, 'tableName=engines-other')
    proxy.take()
    expect(stderr).toMatch(/^Stage engines uses the table engines-[^\n]+ change it with --change-table\.\n$/)
    expect(code).toBe(1)
  })

  test('removes the deployment by undeploy, except for the table', async () => {
    const { code, stdout } = await run('undeploy')
    received.undeploy = shapesOf(proxy.take(), stage)
    expect(stdout).toMatch(new RegExp(`^Stage ${stage} is removed\\. Its table engines-\\S+ stays`, 'm'))
    expect(code).toBe(0)
    expect(await variables()).toBeUndefined()
  })

  test('receives the recorded calls', () => expectRecorded('moto', received))
})
