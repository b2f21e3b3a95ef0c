import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { expect, onTestFinished, test, vi } from 'vitest'
import { finishRemovals } from '../../functions/finish-removals.ts'
import { listSamlProviders } from '../../functions/list-saml-providers.ts'
import { localAwsEnvironment } from '../../infra/dynamodb/client.ts'
import { loadFunctions } from '../../infra/local/functions/functions.ts'
import { openIssuer } from '../../infra/local/issuer.ts'
import { localSettings, routes } from '../../infra/serverless/service-definition.ts'
import type { KeyContext } from '../../lib/auth/keys/key-set.ts'
import type { Deps } from '../../lib/deps.ts'
import { onLambda, onSchedule, warmUp } from '../../lib/lambda.ts'
import { scheduled } from '../../lib/schedule.ts'
import { delay, leftMs } from '../../lib/time.ts'
import { apiRequest } from '../support/api-request.ts'
import { fakeClock } from '../support/fake-clock.ts'
import { serverOf, temporaryFolder } from '../support/machine.ts'

const clock = fakeClock()

test.each([
  ['STREAM', true],
  ['BUFFERED', false],
])('a function of a %s deployment streams its answers: %s', async (responseTransferMode, isStreamed) => {
  const reply = '{"Items":[],"Count":0,"ConsumedCapacity":{}}'
  const tableUrl = await serverOf((_, response) => void response.end(reply))
  const issuer = await openIssuer()
  const settings = { issuers: issuer.trust, tableName: 'some-table', responseTransferMode }
  const variables = {
    ...localSettings(settings).environment,
    ...localAwsEnvironment,
    AWS_ENDPOINT_URL_DYNAMODB: tableUrl,
  }
  const invoke = await loadFunctions({ folder: temporaryFolder(), variables })
  const deployed = routes.find(({ method }) => method === 'get') ?? expect.unreachable()
  const headers: [string, string][] = [['Authorization', `Bearer ${await issuer.tokenFor()}`]]
  const event = apiRequest({ resource: `/${deployed.path}`, headers }, Date.now())
  const { statusCode, body } = await invoke({ requestId: 'request-1', timeoutMs: 30_000, deployed, event })
  expect([statusCode, body instanceof Readable]).toEqual([200, isStreamed])
  expect(body instanceof Readable ? await text(body) : body).toBe('{"data":{"saml_providers":[]}}')
})

test('a function with a wrong configuration fails each call', async () => {
  vi.stubEnv('ISSUERS', 'none')
  onTestFinished(() => void vi.unstubAllEnvs())
  for (const handle of [await onLambda(listSamlProviders), onSchedule(finishRemovals)])
    await expect((handle as () => Promise<unknown>)()).rejects.toThrow('ISSUERS')
})

test.each<[string, Deps['findProvider']]>([
  ['refuses its first call', () => Promise.reject(new Error('no such table'))],
  ['is silent', (_, signal) => delay(clock, 60_000, signal).then(() => undefined)],
])("a function starts within Lambda's 10 s when the table %s", async (_, findProvider) => {
  const logged: string[] = []
  const log = (event: string) => logged.push(event)
  const verifyToken = { warm: async (context: KeyContext) => void context.log('key_fetch_failed', {}) }
  const deps = { clock, findProvider, verifyToken, log }
  const beganAtMs = clock.nowMs()
  await clock.moving(warmUp(deps as unknown as Deps))
  expect(clock.nowMs() - beganAtMs).toBeLessThan(10_000)
  expect(logged).toEqual(['key_fetch_failed', 'warm_up_failed'])
})

test('the signal of a scheduled run ends with the run, at the latest at the end that it knows', async () => {
  const signals: AbortSignal[] = []
  const deps = { clock, log: () => {}, config: { deployment: 'dev' } }
  const handle = scheduled(deps, async ({ signal, endsAtMs }) => {
    signals.push(signal)
    signal.throwIfAborted()
    expect(endsAtMs - clock.nowMs()).toBe(leftMs(signal))
  })
  await handle({}, { getRemainingTimeInMillis: () => 890_000 } as never)
  expect(signals.map(({ aborted }) => aborted)).toEqual([true])
})
