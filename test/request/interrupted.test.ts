import { describe, expect, test } from 'vitest'
import { Failure } from '../../lib/domain/failure.ts'
import { sampleProvider, sampleUser } from '../support/samples.ts'
import type { World } from '../support/world.ts'
import { world } from '../support/world.ts'

/** A world in which something happens whenever the n-th call to the table, or a later one, is made. */
async function disturbed(users: number, nth: number, happen: (w: World, later: number) => unknown) {
  const w = await world()
  const members = Array.from({ length: users }, (_, n) => sampleUser(n, { saml: 7 }))
  await w.putProvider(sampleProvider(7), members)
  // The call that looks for the caller's user is not counted: it has nothing to do with the removal.
  w.deps.findCaller = async () => undefined
  let calls = 0
  w.client.middlewareStack.add(
    next => args => {
      calls += 1
      if (calls >= nth) happen(w, calls - nth)
      return next(args)
    },
    { step: 'finalizeRequest', name: 'disturb' },
  )
  return w
}

const expire = (w: World, later: number) => later === 0 && w.clock.advance(28_000)
const throttling = Object.assign(new Error('slow down'), { name: 'ThrottlingException' })

describe('a DELETE that is interrupted', () => {
  test('while the provider is looked for has changed nothing, and says so', async () => {
    const w = await disturbed(3, 1, expire)
    const { status, json } = await w.remove(7)
    expect([status, json().code]).toEqual([503, 'wait_expired'])
    expect(json()).not.toHaveProperty('affected_total')
  })

  test('between looking and the first write has changed nothing, and says so', async () => {
    const w = await disturbed(3, 99, () => {})
    const found = await w.deps.findProvider(7, new AbortController().signal)
    if (found === undefined) throw new Error('the provider is not there')
    const signal = AbortSignal.abort(new Failure('wait_expired'))
    const removal = w.deps.removeProvider(found, { requestedBy: 'me', log: () => {}, signal })
    await expect(removal).rejects.toMatchObject({ code: 'wait_expired' })
    expect((await w.list()).json().data.saml_providers).toHaveLength(1)
  })

  test('in its first write may have changed something, and says so', async () => {
    const w = await disturbed(3, 2, expire)
    const body = (await w.remove(7)).json()
    expect([body.code, body.affected_total]).toEqual(['removal_unfinished', 3])
    expect(body).not.toHaveProperty('unlinked')
  })

  test('before the list was read counts as affected whom the tombstone counted', async () => {
    // find, the writing of another, begin, members
    const w = await disturbed(3, 4, expire)
    const find = w.deps.findProvider
    w.deps.findProvider = async (...asked) => {
      const found = await find(...asked)
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

  test('says how many are unlinked, those of earlier tries included, as soon as the list was read', async () => {
    let cut = 0
    const w = await disturbed(3, 0, () => {
      cut -= 1
      if (cut === 0) w.clock.advance(28_000)
    })
    const tell = async (call: number) => {
      cut = call
      const { code, affected_total, unlinked } = (await w.remove(7)).json()
      w.clock.advance(1000)
      return [code, affected_total, unlinked]
    }
    // find, begin, members, the users, their marks, finish
    expect(await tell(5)).toEqual(['removal_unfinished', 3, 0])
    expect(await tell(2)).toEqual(['removal_unfinished', 3, undefined])
    // find, members, the users, their marks, finish
    expect(await tell(5)).toEqual(['removal_unfinished', 3, 3])
    expect(await tell(2)).toEqual(['removal_unfinished', 3, undefined])
    // find, members, finish
    expect(await tell(3)).toEqual(['removal_unfinished', 3, 3])
  })

  test('by a busy table says so, too', async () => {
    let isBusy = true
    const w = await disturbed(3, 4, () => {
      if (isBusy) throw throttling
    })
    const { status, headers, json } = await w.remove(7)
    isBusy = false
    expect([status, headers['Retry-After']]).toEqual([503, '5'])
    expect(json()).toMatchObject({ code: 'table_busy', affected_total: 3, unlinked: 0 })
  })

  test('goes on under who began it, whoever sends it again', async () => {
    const w = await disturbed(3, 4, expire)
    expect((await w.remove(7, { token: w.token({ sub: 'first' }) })).status).toBe(503)
    const provider = async () => (await w.items()).find(item => item.PK === 'SAML_PROVIDERS')
    const begun = await provider()
    w.clock.advance(1000)
    expect((await w.remove(7, { token: w.token({ sub: 'second' }) })).status).toBe(200)
    const { state, removed_at, expires_at, ...kept } = (await provider()) ?? {}
    expect([state, expires_at]).toEqual(['removed', begun?.retained_until])
    expect({ ...kept, state: 'removing' }).toEqual(begun)
    expect([begun?.removed_by, typeof removed_at]).toEqual(['first', 'string'])
  })

  test('by nobody but another client is begun once in the log', async () => {
    const w = await disturbed(60, 999, () => {})
    await Promise.all([w.remove(7), w.remove(7)])
    const events = w.logged.map(({ event }) => event)
    expect(events.filter(event => event === 'removal_started')).toHaveLength(1)
    expect(events.filter(event => event === 'removal_resumed')).toHaveLength(1)
  })
})
