import { beforeAll, describe, expect, test } from 'vitest'
import { openIssuer } from '../../infra/local/issuer.ts'
import { localFolder } from '../../infra/project-root.ts'
import { reachLocalStack } from '../../infra/localstack/reach.ts'
import { mainJob, type Deployment } from './main-job.ts'
import { runCommand } from './run-command.ts'

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
  let deployment: Deployment
  let printed = ''
  const callersOwn = { AWS_PROFILE: 'no-such', AWS_ENDPOINT_URL_S3: 'https://s3.example' }
  const run = (name: string, ...parameters: string[]) => {
    const env = name === 'deploy-localstack' ? callersOwn : {}
    return runCommand(name, ['--stage', stage, ...parameters], { AWS_ENDPOINT_URL: endpoint, ...env })
  }

  beforeAll(async () => {
    const { code, stdout, stderr, otherHosts } = await run('deploy-localstack')
    expect({ code, otherHosts }, stdout + stderr).toEqual({ code: 0, otherHosts: [] })
    printed = stdout
    const [, listUrl = ''] = /^curl .* (http\S+)$/m.exec(stdout) ?? []
    const { tokenFor } = await openIssuer(localFolder)
    deployment = { listUrl, deleteUrl: `${listUrl}/providers/`, tokenFor }
  }, maxMs)

  test('receives a deployment that passes the smoke test, except for the gaps of LocalStack', () => {
    expect(printed).toMatch(/ is healthy, except for the gaps of LocalStack\.\n$/)
    expect(printed).not.toContain('FAIL')
  })

  mainJob(() => deployment, null)

  test('applies a changed parameter', async () => {
    const { code, stdout } = await run('deploy-localstack', '--param', 'readScope=other:read')
    expect(stdout).toContain('FAIL list                 answered 403 scope_missing')
    expect(code).toBe(1)
  })

  test('goes back to the release that ran before by rollback, also after a rollback and a deployment', async () => {
    const listStatus = async () => {
      const headers = { authorization: `Bearer ${await deployment.tokenFor()}` }
      return (await fetch(deployment.listUrl, { headers })).status
    }
    expect(await run('rollback')).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('is rolled back from the release of '),
    })
    expect(await listStatus()).toBe(200)
    expect(await run('rollback')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('is rolled back already'),
    })
    await run('deploy-localstack', '--param', 'readScope=third:read')
    expect(await listStatus()).toBe(403)
    expect(await run('rollback')).toMatchObject({ code: 0 })
    expect(await listStatus()).toBe(200)
  })

  test('removes the deployment by undeploy', async () => {
    const { code, stdout } = await run('undeploy', '--yes')
    expect(stdout).toContain(`Stage ${stage} is removed.`)
    expect(code).toBe(0)
    expect((await fetch(deployment.listUrl)).status).toBe(404)
  })
})
