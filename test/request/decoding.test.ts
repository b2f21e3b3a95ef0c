import { describe, expect, test } from 'vitest'
import type { Attributes } from '../../lib/store/attribute-values.ts'
import { sampleProvider, sampleUser } from '../support/samples.ts'
import { type World, world } from '../support/world.ts'

interface Output {
  Items?: Attributes[]
  Responses?: Record<string, Attributes[]>
}

/** Counts how often each attribute of the items in replies is read. */
function countReads({ client }: World) {
  const reads = new Map<Attributes, Map<string, number>>()
  const counting = (item: Attributes) => {
    const times = new Map<string, number>()
    reads.set(item, times)
    return new Proxy(item, {
      get(of, name) {
        times.set(String(name), (times.get(String(name)) ?? 0) + 1)
        return Reflect.get(of, name)
      },
    })
  }
  const wrap = (next: (args: unknown) => Promise<{ output: Output }>) => async (args: unknown) => {
    const reply = await next(args)
    const { Items, Responses } = reply.output
    if (Items) reply.output.Items = Items.map(counting)
    for (const [table, found] of Object.entries(Responses ?? {}))
      if (Responses && Array.isArray(found)) Responses[table] = found.map(counting)
    return reply
  }
  client.middlewareStack.add(wrap as never, { step: 'initialize', name: 'countReads' })
  return () => [...reads].map(([item, times]) => ({ names: Object.keys(item).sort(), times }))
}

describe('each attribute of each item is decoded once', () => {
  test('by a list', async () => {
    const w = await world()
    for (const id of [1, 2, 3]) await w.putProvider(sampleProvider(id, id))
    const reads = countReads(w)
    expect((await w.list()).status).toBe(200)
    expect(reads()).toHaveLength(3)
    for (const { names, times } of reads()) expect([...times].sort()).toEqual(names.map(name => [name, 1]))
  })

  test('by a removal, of two memberships and two users', async () => {
    const w = await world()
    await w.putProvider(sampleProvider(7), [sampleUser(1, { saml: 7 }), sampleUser(2, { saml: 7 })])
    const reads = countReads(w)
    expect((await w.remove(7)).status).toBe(200)
    expect(reads()).toHaveLength(4)
    for (const { names, times } of reads()) expect([...times].sort()).toEqual(names.map(name => [name, 1]))
  })
})
