import { describe, expect, test } from 'vitest'
import { Failure } from '../../lib/domain/failure.ts'
import { userItem } from '../../lib/store/items.ts'
import { abortable } from '../../lib/time.ts'
import { type Links, sampleProvider, sampleUser, userId } from '../support/samples.ts'
import { meter } from '../support/meter.ts'
import { world } from '../support/world.ts'

const machine = {}
const person = { sub: userId(99_999) }

/** A world with one provider and `count` users with these links, and a meter of its calls. */
async function metered(count: number, link: Links = { saml: 7, sso: 70 }) {
  const w = await world()
  const users = Array.from({ length: count }, (_, n) => sampleUser(n, link))
  await w.putProvider(sampleProvider(7, 70), users)
  return { w, measure: meter(w) }
}

describe('a list', () => {
  test.each([
    ['a machine', machine],
    ['a person', person],
  ])('for %s reads the providers and the caller at the same time', async (_, claims) => {
    const { w, measure } = await metered(0)
    expect(await measure(() => w.list({ token: w.token(claims) }))).toEqual({
      calls: { GetItem: 1, Query: 1 },
      inSeries: 1,
      readUnits: 2,
      writeUnits: 0,
      statements: 0,
    })
  })
})

describe('a removal', () => {
  test.each([
    // find and caller, tombstone, memberships, finish
    [0, 4, { GetItem: 2, UpdateItem: 2, Query: 1 }],
    // … unlink and mark after the memberships; the users are read at the same time as finish
    [
      1,
      6,
      { GetItem: 2, UpdateItem: 2, Query: 1, BatchExecuteStatement: 1, BatchWriteItem: 1, BatchGetItem: 1 },
    ],
    [
      25,
      6,
      { GetItem: 2, UpdateItem: 2, Query: 1, BatchExecuteStatement: 1, BatchWriteItem: 1, BatchGetItem: 1 },
    ],
    [
      1000,
      12,
      {
        GetItem: 2,
        UpdateItem: 2,
        Query: 1,
        BatchExecuteStatement: 40,
        BatchWriteItem: 40,
        BatchGetItem: 10,
      },
    ],
  ])('of %i users takes %i calls in series', async (count, inSeries, calls) => {
    const { w, measure } = await metered(count)
    const used = await measure(() => w.remove(7, { token: w.token(person) }))
    expect(used).toMatchObject({ calls, inSeries, statements: count })
  })

  test.each<[string, Links, number, number]>([
    ['both ways', { saml: 7, sso: 70 }, 60, 6],
    ['one way', { sso: 70 }, 120, 7],
  ])('of 60 users who are linked %s takes %i statements', async (_, link, statements, inSeries) => {
    const { w, measure } = await metered(60, link)
    expect(await measure(() => w.remove(7))).toMatchObject({ statements, inSeries })
  })

  test('takes one write unit for each mark, and two for the provider', async () => {
    const { w, measure } = await metered(25)
    expect(await measure(() => w.remove(7))).toMatchObject({ writeUnits: 27, statements: 25 })
  })

  test('that is finished is repeated in three calls in series', async () => {
    const { w, measure } = await metered(25)
    await w.remove(7)
    expect(await measure(() => w.remove(7, { token: w.token(person) }))).toMatchObject({
      calls: { GetItem: 2, Query: 1, BatchGetItem: 1 },
      inSeries: 3,
      writeUnits: 0,
      statements: 0,
    })
  })
})

describe('a disabled caller is refused although the item read at the same time', () => {
  const disabled = userItem({ ...sampleUser(1), is_disabled: true })

  test.each<[string, (signal: AbortSignal) => Promise<undefined>]>([
    ['does not exist', async () => undefined],
    ['cannot be read', () => Promise.reject(new Failure('table_busy'))],
    ['never arrives', signal => abortable(new Promise(() => {}), signal)],
  ])('%s', async (_, read) => {
    const w = await world()
    await w.put(disabled)
    let given: AbortSignal | undefined
    const reads = (signal: AbortSignal) => {
      given = signal
      return read(signal) as Promise<never>
    }
    w.deps.listProviders = reads
    w.deps.findProvider = (_, signal) => reads(signal)
    const token = w.token({ sub: userId(1) })
    for (const send of [() => w.list({ token }), () => w.remove(7, { token })]) {
      expect((await send()).json().code).toBe('caller_disabled')
      expect(given?.aborted).toBe(true)
    }
    expect(w.clock.scheduled()).toBe(0)
  })
})
