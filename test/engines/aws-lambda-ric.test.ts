import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { buildFunctions } from '../../infra/build.ts'
import { localAwsEnvironment } from '../../infra/dynamodb/client.ts'
import { openIssuer } from '../../infra/local/issuer.ts'
import { projectRoot } from '../../infra/project-root.ts'
import { localSettings } from '../../infra/serverless/settings.ts'
import { apiRequest } from '../support/api-request.ts'
import { sampleProvider, sampleUsers } from '../support/samples.ts'
import { world } from '../support/world.ts'
import { startRuntimeApi } from './runtime-api.ts'

const runtime = join(process.env.AWS_LAMBDA_RIC ?? '', 'index.mjs')
const isMissing = process.env.AWS_LAMBDA_RIC === undefined || !existsSync(runtime)
if (isMissing)
  process.stdout.write(
    'test/engines/aws-lambda-ric.test.ts is skipped: AWS_LAMBDA_RIC is not the folder of the npm package aws-lambda-ric.\n',
  )

const testMaxMs = 120_000
const resource = '/api/v2/saml/providers/{saml_provider_id}'

describe.skipIf(isMissing)("the removal in Lambda's own runtime", { timeout: testMaxMs }, () => {
  const cleanUps: (() => unknown)[] = []
  let api: Awaited<ReturnType<typeof startRuntimeApi>>
  let environment: ChildProcess
  let ended: Promise<never>
  let token = ''
  let complete = ''

  beforeAll(async () => {
    const { tableName, putProvider } = await world({}, cleanUp => cleanUps.push(cleanUp))
    await putProvider(sampleProvider(7), sampleUsers(600, { saml: 7 }))
    const issuer = await openIssuer()
    token = await issuer.tokenFor()
    await buildFunctions()
    api = await startRuntimeApi()
    const settings = await localSettings({ issuers: issuer.trust, tableName })
    environment = spawn(process.execPath, [runtime], {
      cwd: projectRoot,
      stdio: ['ignore', 'ignore', 'inherit'],
      env: {
        ...settings.environment,
        ...localAwsEnvironment,
        AWS_ENDPOINT_URL_DYNAMODB: inject('dynamodbEndpoint'),
        LAMBDA_TASK_ROOT: projectRoot,
        _HANDLER: '.build/functions/delete-saml-provider.handler',
        AWS_LAMBDA_RUNTIME_API: api.address,
        // Polls for events with Node's HTTP, which sends streamed answers in any case.
        AWS_LAMBDA_NODEJS_USE_ALTERNATIVE_CLIENT_1: 'true',
        AWS_LAMBDA_FUNCTION_NAME: 'delete-saml-provider',
        AWS_LAMBDA_FUNCTION_VERSION: '$LATEST',
        AWS_LAMBDA_FUNCTION_MEMORY_SIZE: '1024',
        AWS_LAMBDA_LOG_GROUP_NAME: '/aws/lambda/delete-saml-provider',
        AWS_LAMBDA_LOG_STREAM_NAME: 'some-stream',
      },
    })
    ended = once(environment, 'exit').then(codeAndSignal => {
      throw new Error(`the runtime has ended (${codeAndSignal})`)
    })
    ended.catch(() => {})
  }, testMaxMs)
  afterAll(async () => {
    environment?.kill()
    api?.stop()
    for (const cleanUp of cleanUps) await cleanUp()
  })

  /** Metadata and body of the runtime's answer to a DELETE. */
  const remove = async (remainingMs = testMaxMs) => {
    const headers: [string, string][] = [['Authorization', `Bearer ${token}`]]
    const pathParameters = { saml_provider_id: '7' }
    const event = apiRequest({ method: 'DELETE', resource, pathParameters, headers }, Date.now())
    const { body, ...sent } = await Promise.race([api.invoke(event, remainingMs), ended])
    const end = body.indexOf(Buffer.alloc(8))
    const { statusCode, headers: lines } = JSON.parse(String(body.subarray(0, end)))
    return { ...sent, statusCode, type: lines['Content-Type'], text: String(body.subarray(end + 8)) }
  }

  test('is answered with metadata and a streamed body', async () => {
    const { text, ...sent } = await remove()
    expect(sent).toEqual({
      kind: 'response',
      contentType: 'application/vnd.awslambda.http-integration-response',
      errorType: undefined,
      ...{ statusCode: 200, type: 'application/json' },
    })
    expect(JSON.parse(text).data.affected_user).toHaveLength(600)
    complete = text
  })

  test('that fails after the first byte is aborted, with an error in the trailers', async () => {
    const { text, ...sent } = await remove(0)
    expect(sent).toMatchObject({ statusCode: 200, errorType: expect.stringMatching(/Failure/) })
    expect(text).toMatch(/^\{"data":\{"affected_user":\[\{"id":/)
    expect(complete.startsWith(text) && text.length < complete.length).toBe(true)
  })

  test('is answered completely at the next event, by the same process', async () => {
    expect((await remove()).text).toBe(complete)
    expect([environment.exitCode, environment.signalCode]).toEqual([null, null])
  })
})
