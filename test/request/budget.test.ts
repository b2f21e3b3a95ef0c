import { describe, expect, test } from 'vitest'
import { sampleProvider, sampleUser } from '../support/samples.ts'
import { type World, world } from '../support/world.ts'

const prefer = (...lines: string[]) => ({ more: lines.map((line): [string, string] => ['Prefer', line]) })

describe('Preference-Applied', () => {
  test.each([
    ['wait=10', 'wait=10'],
    ['wait=1.5', 'wait=1.5'],
    ['wait="3"', 'wait=3'],
    ['wait=0.0004', 'wait=0'],
    ['wait=28', 'wait=28'],
    ['wait=28.001', 'wait=28'],
    ['wait=100000', 'wait=28'],
    [`wait=${'9'.repeat(400)}`, 'wait=28'],
    ['wait=-1', undefined],
    ['wait=soon', undefined],
    ['respond-async', undefined],
  ])('for %s is %s', async (line, applied) => {
    const w = await world()
    expect((await w.list(prefer(line))).headers['Preference-Applied']).toBe(applied)
  })

  test('is also sent with errors', async () => {
    const w = await world()
    const { status, headers } = await w.remove(99, prefer('wait=10'))
    expect([status, headers['Preference-Applied']]).toEqual([404, 'wait=10'])
  })

  test('shows the first wait of all lines', async () => {
    const w = await world()
    expect((await w.list(prefer('respond-async', 'wait=5', 'wait=6'))).headers['Preference-Applied']).toBe(
      'wait=5',
    )
  })
})

describe('the budget', () => {
  test('of 0 starts no call, with or without a token', async () => {
    const w = await world()
    await w.putProvider(sampleProvider(7), [sampleUser(1, { saml: 7 })])
    const before = await w.items()
    const calls = countCalls(w)
    for (const request of [prefer('wait=0'), { headers: [['Prefer', 'wait=0']] as [string, string][] }]) {
      const answer = await w.remove(7, request)
      expect([answer.status, answer.json().code, answer.headers['Retry-After']]).toEqual([
        503,
        'wait_expired',
        '1',
      ])
    }
    expect(calls()).toBe(0)
    expect(await w.items()).toEqual(before)
  })

  test.each([
    ['wait=2', 2000],
    ['wait=0.5', 500],
    ['wait=900', 28_000],
    ['nothing', 28_000],
  ])('of %s ends %i ms after the gateway received the request, less the reserve', async (line, ms) => {
    const w = await world()
    let reason: unknown
    w.deps.listProviders = async signal => {
      w.clock.advance(ms - w.config.answerReserveMs - 1)
      reason = signal.reason
      w.clock.advance(1)
      signal.throwIfAborted()
      return []
    }
    const answer = await w.list(prefer(line))
    expect(reason).toBeUndefined()
    expect([answer.status, answer.json().code]).toEqual([503, 'wait_expired'])
  })

  test.each([
    [-1, 0],
    [0, 0],
    [1, 1],
    [10_000, 10_000],
    [10_001, 0],
    [-30_000, 0],
    [30_000, 0],
  ])('includes the time before the function began: of %i ms it counts %i', async (beforeMs, countedMs) => {
    const w = await world()
    const beganAtMs = w.clock.nowMs()
    let endedAtMs = 0
    w.deps.listProviders = async signal => {
      while (!signal.aborted && endedAtMs < beganAtMs + 60_000) {
        w.clock.advance(1)
        endedAtMs = w.clock.nowMs()
      }
      signal.throwIfAborted()
      return []
    }
    const answer = await w.list({ ...prefer('wait=20'), receivedAtMs: beganAtMs - beforeMs })
    expect(answer.json().code).toBe('wait_expired')
    expect(endedAtMs - beganAtMs).toBe(20_000 - w.config.answerReserveMs - countedMs)
    expect(w.logged.at(-1)?.duration_ms).toBe(20_000 - w.config.answerReserveMs)
  })

  test('leaves no scheduled callback, however the request ends', async () => {
    const w = await world()
    await w.putProvider(sampleProvider(7), [sampleUser(1, { saml: 7 })])
    await w.list()
    await w.list({ headers: [] })
    await w.list(prefer('wait=0'))
    await w.remove(99)
    await w.remove(7)
    expect(w.clock.scheduled()).toBe(0)
  })

  test('that ends during a removal reports the progress, and the next DELETE finishes it', async () => {
    const w = await world()
    await w.putProvider(
      sampleProvider(7),
      Array.from({ length: 60 }, (_, n) => sampleUser(n, { saml: 7 })),
    )
    let calls = 0
    w.client.middlewareStack.add(
      next => async args => {
        calls += 1
        // caller, find, begin, members, three batches of unlinks, the first batch of marks; this is the second
        if (calls === 9) w.clock.advance(28_000)
        return next(args)
      },
      { step: 'finalizeRequest', name: 'expireMidway' },
    )
    const answer = await w.remove(7)
    const { code, affected_total, unlinked } = answer.json()
    expect([answer.status, code, affected_total]).toEqual([503, 'removal_unfinished', 60])
    expect(answer.headers['Retry-After']).toBe('1')
    expect(unlinked).toBeLessThan(60)
    const marked = (await w.items()).filter(item => item.PK === 'SAML_PROVIDER#7' && 'expires_at' in item)
    expect(unlinked).toBeLessThanOrEqual(marked.length)
    expect((await w.list()).json().data.saml_providers).toEqual([])

    const again = await w.remove(7)
    expect(again.status).toBe(200)
    expect(again.json().data.affected_user).toHaveLength(60)
    expect(w.logged.map(({ event }) => event)).toContain('removal_resumed')
  })
})

function countCalls({ client }: World): () => number {
  let calls = 0
  client.middlewareStack.add(
    next => args => {
      calls += 1
      return next(args)
    },
    { step: 'finalizeRequest', name: 'countCalls' },
  )
  return () => calls
}
