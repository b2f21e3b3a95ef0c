import { execFileSync } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { DescribeTableCommand } from '@aws-sdk/client-dynamodb'
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { importFiles } from '../../infra/data/import/import-files.ts'
import { dataOf } from '../../infra/data/open-data.ts'
import { openIssuer } from '../../infra/local/issuer.ts'
import { localFolder, projectRoot } from '../../infra/project-root.ts'
import { sampleDataFile } from '../../infra/sample-data/sample-data.ts'
import { endpointUrls } from '../../infra/serverless/service-definition.ts'
import { smoke } from '../../infra/smoke/smoke.ts'
import type { User } from '../../lib/domain/resources.ts'
import { systemClock } from '../../lib/time.ts'
import { largeUser, type Links, sampleProvider } from '../support/samples.ts'
import { callsOf, type Deployment, mainJob } from '../support/main-job.ts'
import { openPlace, type Place } from '../trial/place.ts'
import { openStage, run, type Stage } from '../trial/stage.ts'

const place = await openPlace().catch(({ message }: Error) => {
  throw Object.assign(new Error(message), { stack: '' }) // the sentence says all
})
if (place === undefined)
  process.stdout.write(
    'test/engines/deployment.test.ts is skipped: no emulator is at AWS_ENDPOINT_URL, and AWS_TRIAL is not 1.\n',
  )
const kind = place?.kind
afterAll(() => void vi.unstubAllEnvs()) // openPlace sets some
/** Tests run only when there is a place. */
const open = (name: string) => openStage(name, place as Place)

/**
 * Removals by their number of users, and their last answers. On AWS the answer has 66 MB, which nothing passes that does not
 * stream; emulators buffer, for which the second one is too large.
 */
const removals: [users: number, status: number][] =
  kind === 'AWS'
    ? [[15_000, 200]]
    : [
        [1000, 200],
        [2000, 413],
      ]
const maxMs = 1_800_000

/** By one field or by the other, every fifth user has a link to another provider, too: DynamoDB returns these to the removal. */
function linksOf(n: number, provider: number): Links {
  if (n % 10 === 0) return { saml: provider, sso: 77 }
  return n % 10 === 5 ? { saml: 2, sso: provider } : { saml: provider }
}

/** The lines of an import file with their providers. */
function* lines() {
  for (const [users] of removals) {
    yield `${JSON.stringify(sampleProvider(users, users))}\n`
    for (let n = users; n < 2 * users; n++) yield `${JSON.stringify(largeUser(n, linksOf(n, users)))}\n`
  }
}

describe.skipIf(place === undefined)('a deployment', { timeout: maxMs }, () => {
  let stage: Stage
  let deployment: Deployment
  let trust: string

  /** Deploys with these parameters, and waits until the API answers a list so. */
  const deploy = async (status: number, ...changed: string[]) => {
    const parameters = [`issuers=${trust}`, ...changed].flatMap(parameter => ['--param', parameter])
    const { code, stdout, stderr } = await stage.serverless('deploy', ...parameters)
    expect(code, stdout + stderr).toBe(0)
    Object.assign(deployment, endpointUrls(await stage.url()))
    await listIs(status)
    return stderr
  }
  const listStatus = async () => {
    const headers = { authorization: `Bearer ${await deployment.tokenFor()}` }
    const response = await fetch(deployment.listUrl, { headers })
    await response.arrayBuffer()
    return response.status
  }
  /** AWS takes some seconds until all of it answers as it was deployed. */
  const listIs = (status: number) =>
    vi.waitFor(async () => expect(await listStatus()).toBe(status), { timeout: 60_000, interval: 500 })

  beforeAll(async () => {
    const letters = Array.from({ length: 6 }, () => String.fromCharCode(randomInt(97, 123)))
    stage = open(`trial-${letters.join('')}`)
    process.stdout.write(`${stage.ifInterrupted}\n`)
    const { tokenFor, ...issuer } = await openIssuer()
    trust = issuer.trust
    deployment = { listUrl: '', deleteUrl: '', tokenFor, coding: kind === 'AWS' ? 'br' : null }
    await deploy(200)
    const file = join(stage.folder, 'large.ndjson')
    await writeFile(file, lines())
    const data = dataOf(stage.client, stage.TableName, systemClock)
    const { faults } = await importFiles(data, [sampleDataFile, file], new AbortController().signal)
    expect([...faults]).toEqual([])
  }, maxMs)
  afterAll(() => stage.remove().finally(stage.close), maxMs)

  test.each(removals)('answers a removal of %d users in the end with %d', async (users, status) => {
    const { remove } = callsOf(() => deployment)
    let answer = await remove(users, { prefer: 'wait=1' })
    while (answer.status === 503) answer = await remove(users)
    const { code, data } = answer.json()
    expect([answer.status, code]).toEqual([status, status === 200 ? undefined : 'answer_too_large'])
    if (status !== 200) return
    const linksLeft = Map.groupBy(
      data.affected_user as User[],
      ({ saml_provider_id: saml, sso_provider_id: sso }) => `${saml.int32} ${sso.int32}`,
    )
    expect([...linksLeft].map(([links, { length }]) => [links, length]).sort()).toEqual([
      ['0 0', users * 0.8],
      ['0 77', users * 0.1],
      ['2 0', users * 0.1],
    ])
  })

  mainJob(() => deployment)

  test('passes the smoke test', async () => {
    const token = await deployment.tokenFor()
    expect(await smoke({ listUrl: deployment.listUrl, token, isEmulated: kind === 'emulator' })).toBe(true)
  })

  test('takes a changed parameter back by a rollback', async () => {
    let isListing = true
    const seen: Record<string, number> = {}
    const listing = (async () => {
      while (isListing) {
        const status = await listStatus().catch((error: Error) => `broken: ${error.cause}`)
        seen[status] = (seen[status] ?? 0) + 1
        await pause(50) // the stage's throttleRate is higher
      }
    })()
    try {
      // LocalStack would not take a change of the API back.
      const ofApi = kind === 'emulator' ? [] : ['sunsetAt=2099-01-01T00:00:00Z']
      const changed = ['readScope=other:read', ...ofApi]
      for (const _ of ['changed', 'the same again'])
        expect(await deploy(403, ...changed)).toContain('Service deployed')
      const { stdout } = await stage.serverless('deploy', 'list')
      const [before = ''] = [...stdout.matchAll(/^Timestamp: (\d+)$/gm)].map(([, time]) => time).slice(-3)
      expect(await stage.serverless('rollback', '--timestamp', before)).toMatchObject({ code: 0 })
      await listIs(200)
    } finally {
      isListing = false
      await listing
    }
    process.stdout.write(`Lists during two deployments and a rollback: ${JSON.stringify(seen)}\n`)
    const answers = Object.keys(seen).filter(status => !status.startsWith('broken'))
    // MiniStack ends a function that it replaces, also while it runs.
    if (kind !== 'emulator')
      expect(answers.filter(status => kind === 'AWS' || status !== '502')).toEqual(['200', '403'])
  })

  test('is made again on the table that it left', async () => {
    await stage.serverless('remove')
    expect(await stage.isAbsent()).toBe(true)
    const { Table } = await stage.client.send(new DescribeTableCommand({ TableName: stage.TableName }))
    expect(Table).toMatchObject({ TableStatus: 'ACTIVE' })
    await deploy(200, 'createTable=false')
  })
})

test.runIf(place?.endpoint)(
  'npm run deploy:localstack, and what it prints, use no AWS credentials of the caller',
  { timeout: maxMs },
  async () => {
    const stage = open('localstack')
    onTestFinished(stage.close)
    expect(await stage.isAbsent(), 'undeploy the stage localstack before').toBe(true)
    onTestFinished(() => stage.remove(), maxMs)
    const settingsOfCaller = {
      ...{ AWS_PROFILE: 'no-such', AWS_ACCESS_KEY_ID: 'callers-own', AWS_SECRET_ACCESS_KEY: 'secret' },
      ...{ AWS_ENDPOINT_URL_S3: 'https://s3.example', AWS_ENDPOINT_URL_DYNAMODB: 'http://127.0.0.1:9' },
      HTTP_PROXY: 'http://127.0.0.1:9',
    }
    const env = { ...process.env, ...settingsOfCaller }
    const { code, stdout, stderr } = await run(projectRoot, 'infra/commands/deploy-localstack.ts', [], env)
    expect(code, stdout + stderr).toBe(0)
    const [, listUrl = ''] = /^curl .* (http\S+)/m.exec(stdout) ?? []
    const { tokenFor } = await openIssuer(localFolder)
    const list = await fetch(listUrl, { headers: { authorization: `Bearer ${await tokenFor()}` } })
    expect(await list.json()).toMatchObject({ data: { saml_providers: { length: 4 } } })
    const [line = ''] = /^unset AWS_PROFILE.*; export .*$/m.exec(stdout) ?? []
    const pasted = `${line}; ${process.execPath} infra/commands/data.ts verify --table ${stage.TableName}`
    execFileSync('sh', ['-ec', pasted], { cwd: projectRoot, env, stdio: 'pipe' })
  },
)
