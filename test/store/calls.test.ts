import { expect, test } from 'vitest'
import { removalStore } from '../../lib/store/removals.ts'
import { openTable } from '../../lib/store/table.ts'
import { sampleProvider, sampleUser, userId } from '../support/samples.ts'
import { world } from '../support/world.ts'

const never = new AbortController().signal

test('every read is a strongly consistent GetItem, Query or BatchGetItem', async () => {
  const w = await world()
  await w.putProvider(sampleProvider(7, 70), [sampleUser(1, { saml: 7 })])
  const reads: [string, boolean][] = []
  w.client.middlewareStack.add(
    next => args => {
      const { headers, body } = args.request as { headers: Record<string, string>; body: Uint8Array }
      const operation = String(headers['x-amz-target']).replace(/^.*\./, '')
      if (!/Update|Write|Execute/.test(operation))
        reads.push([operation, /"ConsistentRead":true/.test(new TextDecoder().decode(body))])
      return next(args)
    },
    { step: 'finalizeRequest', name: 'reads' },
  )
  await w.list({ token: w.token({ sub: userId(9) }) })
  await w.remove(7)
  await w.remove(7)
  expect(new Set(reads.map(([operation]) => operation))).toEqual(
    new Set(['GetItem', 'Query', 'BatchGetItem']),
  )
  expect(reads.filter(([, isConsistent]) => !isConsistent)).toEqual([])
})

test('a removal is begun once and finished once: a second call changes nothing', async () => {
  const w = await world()
  await w.putProvider(sampleProvider(7))
  const { begin, finish } = removalStore(openTable(w.client, w.tableName, w.clock))
  const removal = (id: string) => ({
    id,
    startedAtMs: w.clock.nowMs(),
    retainedUntil: w.clock.nowMs() / 1000 + 60,
  })
  const stored = async () => (await w.items())[0]

  expect((await begin(7, removal('one'), 'first', never))?.removal.id).toBe('one')
  const begun = await stored()
  w.clock.advance(1000)
  expect(await begin(7, removal('other'), 'second', never)).toBeUndefined()
  expect(await stored()).toEqual(begun)

  expect(await finish(7, removal('one'), 0, w.clock.nowMs(), never)).toBe(true)
  const finished = await stored()
  // A repetition of the same call, as after a lost reply, succeeds; a later one does not.
  expect(await finish(7, removal('one'), 0, w.clock.nowMs(), never)).toBe(true)
  expect(await finish(7, removal('one'), 0, w.clock.nowMs() + 1000, never)).toBe(false)
  expect(await stored()).toEqual(finished)
  expect(await begin(7, removal('late'), 'third', never)).toBeUndefined()
})

test('no removal of an absent provider is begun, repaired or finished', async () => {
  const w = await world()
  const { begin, mend, finish } = removalStore(openTable(w.client, w.tableName, w.clock))
  const removal = { id: 'r', startedAtMs: 0, retainedUntil: 1 }
  expect(await begin(7, removal, 'me', never)).toBeUndefined()
  expect(await mend(7, removal, never)).toBeUndefined()
  expect(await finish(7, removal, 0, 0, never)).toBe(false)
  expect(await w.items()).toEqual([])
})
