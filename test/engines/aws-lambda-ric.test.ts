import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, inject, onTestFinished, test } from 'vitest'
import { buildFunctions } from '../../infra/build.ts'
import { localAwsEnvironment } from '../../infra/dynamodb/client.ts'
import { openIssuer } from '../../infra/local/issuer.ts'
import { projectRoot } from '../../infra/project-root.ts'
import { localSettings } from '../../infra/serverless/service-definition.ts'
import { apiRequest } from '../support/api-request.ts'
import { sampleProvider, sampleUsers } from '../support/samples.ts'
import { openTestClient } from '../support/test-client.ts'
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

test.skipIf(isMissing)(
  "a removal that is streamed by Lambda's own runtime may fail after its first byte",
  { timeout: testMaxMs },
  async () => {
    const { tableName, putProvider } = await world({}, onTestFinished, openTestClient)
    await putProvider(sampleProvider(7), sampleUsers(600, { saml: 7 }))
    const { trust, tokenFor } = await openIssuer()
    const token = await tokenFor()
    await buildFunctions()
    const api = await startRuntimeApi()
    onTestFinished(api.stop)
    const { environment: settings } = localSettings({ issuers: trust, tableName })
    const environment = spawn(process.execPath, [runtime], {
      cwd: projectRoot,
      stdio: ['ignore', 'ignore', 'inherit'],
      env: {
        ...settings,
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
    onTestFinished(() => void environment.kill())
    const ended = once(environment, 'exit').then(codeAndSignal => {
      throw new Error(`the runtime has ended (${codeAndSignal})`)
    })
    ended.catch(() => {})

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
    const { text: complete, ...sent } = await remove()
    expect(sent).toEqual({
      kind: 'response',
      contentType: 'application/vnd.awslambda.http-integration-response',
      errorType: undefined,
      ...{ statusCode: 200, type: 'application/json' },
    })
    expect(JSON.parse(complete).data.affected_user).toHaveLength(600)

    const cut = await remove(0)
    expect(cut).toMatchObject({ statusCode: 200, errorType: expect.stringMatching(/Failure/) })
    expect(cut.text).toMatch(/^\{"data":\{"affected_user":\[\{"id":/)
    expect(complete.startsWith(cut.text) && cut.text.length < complete.length).toBe(true)
    expect((await remove()).text).toBe(complete)
    expect([environment.exitCode, environment.signalCode]).toEqual([null, null])
  },
)
