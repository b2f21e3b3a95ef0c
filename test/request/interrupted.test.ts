import { describe, expect, test } from 'vitest'
import { Failure } from '../../lib/domain/failure.ts'
import { sampleProvider, sampleUser } from '../support/samples.ts'
import type { World } from '../support/world.ts'
import { world } from '../support/world.ts'

/** A world that runs `onCall` at the n-th call to the table and at each later one. */
async function disturbed(users: number, nth: number, onCall: (w: World, later: number) => unknown) {
  const w = await world()
  const members = Array.from({ length: users }, (_, n) => sampleUser(n, { saml: 7 }))
  await w.putProvider(sampleProvider(7), members)
  // The lookup of the caller is not counted: it is not part of the removal.
  w.deps.findCaller = async () => []
  let calls = 0
  w.client.middlewareStack.add(
    next => args => {
      calls += 1
      if (calls >= nth) onCall(w, calls - nth)
      return next(args)
    },
    { step: 'finalizeRequest', name: 'disturb' },
  )
  return w
}

const expire = (w: World, later: number) => later === 0 && w.clock.advance(28_000)
const throttling = Object.assign(new Error('slow down'), { name: 'ThrottlingException' })

describe('a DELETE that is interrupted', () => {
  test('during the lookup of its provider is answered wait_expired', async () => {
    const w = await disturbed(3, 1, expire)
    const { status, json } = await w.remove(7)
    expect([status, json().code]).toEqual([503, 'wait_expired'])
    expect(json()).not.toHaveProperty('affected_total')
  })

  test('between the lookup and its first write fails with wait_expired, and changes nothing', async () => {
    const w = await disturbed(3, 99, () => {})
    const found = await w.deps.findProvider(7, new AbortController().signal)
    if (found === undefined) throw new Error('provider 7 is not found')
    const signal = AbortSignal.abort(new Failure('wait_expired'))
    const removal = w.deps.removeProvider(found, { requestedBy: 'me', log: () => {}, signal })
    await expect(removal).rejects.toMatchObject({ code: 'wait_expired' })
    expect((await w.list()).json().data.saml_providers).toHaveLength(1)
  })

  test('during its first write is answered removal_unfinished', async () => {
    const w = await disturbed(3, 2, expire)
    const body = (await w.remove(7)).json()
    expect([body.code, body.affected_total]).toEqual(['removal_unfinished', 3])
    expect(body).not.toHaveProperty('unlinked')
  })

  test('before the list is read reports the count at its first write as affected_total', async () => {
    // find, a write of another client, begin, members
    const w = await disturbed(3, 4, expire)
    const find = w.deps.findProvider
    w.deps.findProvider = async (...args) => {
      const found = await find(...args)
      await w.putProvider(
        sampleProvider(7),
        [1, 2, 3, 4].map(n => sampleUser(n, { saml: 7 })),
      )
      return found
    }
    const body = (await w.remove(7)).json()
    expect([body.code, body.affected_total]).toEqual(['removal_unfinished', 4])
    expect(body).not.toHaveProperty('unlinked')
  })

  test('reports the users unlinked by all attempts, once the list is read', async () => {
    let callsLeft = 0
    const w = await disturbed(3, 0, () => {
      callsLeft -= 1
      if (callsLeft === 0) w.clock.advance(28_000)
    })
    const send = async (call: number) => {
      callsLeft = call
      const { code, affected_total, unlinked } = (await w.remove(7)).json()
      w.clock.advance(1000)
      return [code, affected_total, unlinked]
    }
    // find, begin, members, unlink, mark, finish
    expect(await send(5)).toEqual(['removal_unfinished', 3, 0])
    expect(await send(2)).toEqual(['removal_unfinished', 3, undefined])
    // find, members, unlink, mark, finish
    expect(await send(5)).toEqual(['removal_unfinished', 3, 3])
    expect(await send(2)).toEqual(['removal_unfinished', 3, undefined])
    // find, members, finish
    expect(await send(3)).toEqual(['removal_unfinished', 3, 3])
  })

  test('by throttling also reports its progress', async () => {
    let isBusy = true
    const w = await disturbed(3, 4, () => {
      if (isBusy) throw throttling
    })
    const { status, headers, json } = await w.remove(7)
    isBusy = false
    expect([status, headers['Retry-After']]).toEqual([503, '5'])
    expect(json()).toMatchObject({ code: 'table_busy', affected_total: 3, unlinked: 0 })
  })
})

test('a DELETE that another has overtaken at its first write continues with the retention of the other', async () => {
  // find, of the one; find, begin, members, of the other
  const w = await disturbed(3, 4, expire)
  const { signal } = new AbortController()
  const found = (await w.deps.findProvider(7, signal)) ?? expect.unreachable()
  expect((await w.remove(7)).json().code).toBe('removal_unfinished')
  const provider = async () => (await w.items()).find(({ PK }) => PK === 'SAML_PROVIDERS')
  const begun = await provider()
  w.clock.advance(1000)
  await w.deps.removeProvider(found, { requestedBy: 'me', log: () => {}, signal })
  expect(await provider()).toMatchObject({ state: 'removed', expires_at: begun?.retained_until })
})

test('two concurrent DELETEs log one start and one continuation', async () => {
  const w = await disturbed(60, 999, () => {})
  await Promise.all([w.remove(7), w.remove(7)])
  const events = w.logged.map(({ event }) => event)
  expect(events.filter(event => event === 'removal_started')).toHaveLength(1)
  expect(events.filter(event => event === 'removal_resumed')).toHaveLength(1)
})
