import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openIssuer } from '../../infra/local/issuer.ts'
import { localFolder } from '../../infra/project-root.ts'
import { reachLocalStack } from '../../infra/localstack/reach.ts'
import { runCommand } from '../infra/serverless/run-command.ts'
import { shapesOf } from '../infra/serverless/fake-aws/aws-call.ts'
import { mainJob, type Deployment } from './main-job.ts'
import { expectRecorded, type Recorded } from '../infra/serverless/recorded/recorded.ts'
import { recordingProxy } from './recording-proxy.ts'

const endpoint = process.env.AWS_ENDPOINT_URL ?? ''
const isReachable = await reachLocalStack(endpoint).then(
  () => true,
  () => false,
)
if (!isReachable)
  process.stdout.write('test/engines/localstack.test.ts is skipped: LocalStack is not at AWS_ENDPOINT_URL.\n')

const stage = 'engines'
const maxMs = 600_000

describe.skipIf(!isReachable)('LocalStack', { timeout: maxMs }, () => {
  const received: Recorded = { deploy: [], update: [], undeploy: [] }
  const cleanUps: (() => void)[] = []
  const atEnd = (cleanUp: () => void) => void cleanUps.push(cleanUp)
  let proxy: Awaited<ReturnType<typeof recordingProxy>>
  let deployment: Deployment
  let printed = ''
  const run = (name: string, ...parameters: string[]) =>
    runCommand(name, ['--stage', stage, ...parameters], { AWS_ENDPOINT_URL: proxy.url }, atEnd)

  beforeAll(async () => {
    proxy = await recordingProxy(endpoint)
    const { code, stdout, stderr } = await run('deploy-localstack')
    expect(code, stdout + stderr).toBe(0)
    printed = stdout
    received.deploy = shapesOf(proxy.take(), stage)
    const [, listUrl = ''] = /^curl .* (http\S+)$/m.exec(stdout) ?? []
    const { tokenFor } = await openIssuer(localFolder)
    deployment = { listUrl, deleteUrl: `${listUrl}/providers/`, tokenFor }
  }, maxMs)
  afterAll(() => {
    for (const cleanUp of cleanUps) cleanUp()
    proxy.stop()
  })

  test('receives a deployment that passes the smoke test, except for the gaps of LocalStack', () => {
    expect(printed).toMatch(/ is healthy, except for the gaps of LocalStack\.\n$/)
    expect(printed).not.toContain('FAIL')
  })

  mainJob(() => deployment, null)

  test('applies a changed parameter', async () => {
    const { code, stdout } = await run('deploy-localstack', '--param', 'readScope=other:read')
    received.update = shapesOf(proxy.take(), stage)
    expect(stdout).toContain('FAIL list                 answered 403 scope_missing')
    expect(code).toBe(1)
  })

  test('removes the deployment by undeploy', async () => {
    const { code, stdout } = await run('undeploy')
    received.undeploy = shapesOf(proxy.take(), stage)
    expect(stdout).toContain(`Stage ${stage} is removed.`)
    expect(code).toBe(0)
    expect((await fetch(deployment.listUrl)).status).toBe(404)
  })

  test('receives the recorded calls', () => expectRecorded('localstack', received))
})
