import { expect, test } from 'vitest'
import { removalStore } from '../../lib/store/removals.ts'
import { openTable } from '../../lib/store/table.ts'
import { sampleProvider, sampleUser, userId } from '../support/samples.ts'
import { world } from '../support/world.ts'

const never = new AbortController().signal

test('every read is strongly consistent, and nothing reads but these three', async () => {
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

test('a removal is begun once and finished once, whoever else tries: the first one stands', async () => {
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

  expect(await finish(7, removal('one'), w.clock.nowMs(), never)).toBe(true)
  const finished = await stored()
  // The same call once more, as after a lost reply, is still the one that did it; a later one is not.
  expect(await finish(7, removal('one'), w.clock.nowMs(), never)).toBe(true)
  expect(await finish(7, removal('one'), w.clock.nowMs() + 1000, never)).toBe(false)
  expect(await stored()).toEqual(finished)
  expect(await begin(7, removal('late'), 'third', never)).toBeUndefined()
})

test('nothing is begun, mended or finished of a provider that is not there', async () => {
  const w = await world()
  const { begin, mend, finish } = removalStore(openTable(w.client, w.tableName, w.clock))
  const removal = { id: 'r', startedAtMs: 0, retainedUntil: 1 }
  expect(await begin(7, removal, 'me', never)).toBeUndefined()
  expect(await mend(7, removal, never)).toBeUndefined()
  expect(await finish(7, removal, 0, never)).toBe(false)
  expect(await w.items()).toEqual([])
})
