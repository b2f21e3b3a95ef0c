import { afterEach, expect, test, vi } from 'vitest'
import type { KeyContext } from '../../lib/auth/keys/key-set.ts'
import { Failure } from '../../lib/domain/failure.ts'
import { sampleProvider, sampleUser, userId } from '../support/samples.ts'
import { type Plan, withPlan } from '../support/test-client.ts'
import { world } from '../support/world.ts'
import { expectRefusal, untouched } from './scenario.ts'

const prefer = (...lines: string[]) => ({ more: lines.map((line): [string, string] => ['Prefer', line]) })

const service = untouched({})

afterEach(() => void vi.restoreAllMocks())

test.each([
  ['wait=1.5', ['wait=1.5']],
  ['wait=0', ['wait=0.0004']],
  ['wait=28', ['wait=28.001']],
  ['wait=28', [`wait=${'9'.repeat(400)}`]],
  ['wait=5', ['respond-async', 'wait=5', 'wait=6']],
  [undefined, ['respond-async']],
])('Preference-Applied is %s for %j, also with errors', async (applied, lines) => {
  for (const answer of [await service().list(prefer(...lines)), await service().remove(99, prefer(...lines))])
    expect(answer.headers['Preference-Applied']).toBe(applied)
})

test('a wait of 0 starts no call, with or without a token', async () => {
  const none: Plan = ({ operation }) => expect.unreachable(operation)
  for (const request of [prefer('wait=0'), { headers: [['Prefer', 'wait=0']] as [string, string][] }]) {
    const answer = withPlan(none, () => service().remove(7, request))
    await expectRefusal(answer, [503, 'wait_expired'])
  }
})

test.each([
  ['wait=0.5', 0, 500],
  ['wait=900', 0, 28_000],
  ['nothing', 0, 28_000],
  ['wait=20', -1, 20_000],
  ['wait=20', 1, 19_999],
  ['wait=20', 10_000, 10_000],
  ['wait=20', 10_001, 20_000],
])(
  'the budget of %s, %i ms after the gateway received the request, is %i ms less 150 ms',
  async (line, ms, leftMs) => {
    const { deps, clock, list, logged } = service()
    const beganAtMs = clock.nowMs()
    vi.spyOn(deps, 'listProviders').mockImplementation(async signal => {
      while (!signal.aborted && clock.nowMs() < beganAtMs + 60_000) clock.advance(1)
      throw signal.reason
    })
    const request = { ...prefer(line), receivedAtMs: beganAtMs - ms }
    await expectRefusal(list(request), [503, 'wait_expired'])
    const tookMs = clock.nowMs() - beganAtMs
    expect(tookMs).toBe(leftMs - 150)
    expect(logged.at(-1)?.duration_ms).toBe(ms < 0 || ms > 10_000 ? tookMs : tookMs + ms)
  },
)

test.each(['verifyToken', 'findCaller', 'findProvider'] as const)('the budget ends %s', async name => {
  const { deps, clock, remove, token } = service()
  vi.spyOn(deps, 'findCaller').mockResolvedValue(undefined)
  vi.spyOn(deps, name as 'findCaller').mockImplementation(async (_, given: AbortSignal | KeyContext) => {
    const signal = given instanceof AbortSignal ? given : given.signal
    clock.advance(2000)
    throw signal.aborted ? signal.reason : new Error('it has another signal')
  })
  const person = { token: token({ sub: userId(3) }) }
  await expectRefusal(remove(7, { ...person, ...prefer('wait=2') }), [503, 'wait_expired'])
})

test.each([
  ['without a wait', [], undefined],
  ['with a longer wait', ['wait=60'], 28_000],
  ['with a shorter wait', ['wait=27'], 27_000],
])('a budget that ends %s is logged with the wait that was granted', async (_, lines, wait_ms) => {
  const { deps, list, logged } = service()
  logged.length = 0
  vi.spyOn(deps, 'listProviders').mockRejectedValue(new Failure('wait_expired'))
  await expectRefusal(list(prefer(...lines)), [503, 'wait_expired'])
  expect(logged).toMatchObject([{ event: 'request_answered', code: 'wait_expired', wait_ms }])
})

test('a request leaves no scheduled callback, however it ends', async () => {
  const w = await world()
  await w.putProvider(sampleProvider(7), [sampleUser(1, { saml: 7 })])
  await w.list()
  await w.list({ headers: [] })
  await w.list(prefer('wait=0'))
  await w.remove(99)
  await w.remove(7)
  expect(w.clock.scheduled()).toBe(0)
})
