import { describe, expect, test } from 'vitest'
import type { Deps } from '../../lib/deps.ts'
import { warmUp } from '../../lib/lambda.ts'
import { delay } from '../../lib/time.ts'
import { fakeClock } from '../support/fake-clock.ts'
import { serverOf } from '../support/machine.ts'
import { startEnvironment } from '../support/start-environment.ts'

const clock = fakeClock()

describe('an execution environment', () => {
  test.each([
    ['STREAM', true],
    ['BUFFERED', false],
  ])('of a %s deployment answers; that it streams is %s', async (responseTransferMode, isStreamed) => {
    const reply = '{"Items":[],"Count":0,"ConsumedCapacity":{}}'
    const tableUrl = await serverOf((_, response) => void response.end(reply))
    const { list } = await startEnvironment({ tableUrl, parameters: { responseTransferMode } })
    expect(await list()).toEqual({ statusCode: 200, isStreamed, body: '{"data":{"saml_providers":[]}}' })
  })

  test('with a wrong configuration starts, and fails each call', async () => {
    const { list, run } = await startEnvironment({ tableUrl: 'none', variables: { ISSUERS: 'none' } })
    for (const call of [list, run]) await expect(call()).rejects.toThrow('ISSUERS')
  })

  test.each<[string, Deps['findProvider']]>([
    ['refuses its first call', () => Promise.reject(new Error('no such table'))],
    ['is silent', (_, signal) => delay(clock, 60_000, signal).then(() => undefined)],
  ])("starts within Lambda's 10 s when the table %s, and logs it", async (_, findProvider) => {
    const logged: string[] = []
    const verifyToken = { warm: async () => {} }
    const deps = { clock, findProvider, verifyToken, log: (event: string) => logged.push(event) }
    const beganAtMs = clock.nowMs()
    await clock.moving(warmUp(deps as unknown as Deps))
    expect(clock.nowMs() - beganAtMs).toBeLessThan(10_000)
    expect(logged).toEqual(['warm_up_failed'])
  })
})
