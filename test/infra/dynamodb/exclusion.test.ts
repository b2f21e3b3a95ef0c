import fc from 'fast-check'
import { expect, test } from 'vitest'
import { exclusion } from '../../../infra/dynamodb/exclusion.ts'

test('an exclusive call never runs together with another, in any order of calls and outcomes', async () => {
  const calls = fc.array(fc.record({ exclusive: fc.boolean(), fails: fc.boolean() }), { maxLength: 12 })
  await fc.assert(
    fc.asyncProperty(fc.scheduler(), calls, async (scheduler, planned) => {
      const { shared, exclusive } = exclusion()
      const running = new Set<number>()
      const overlaps: string[] = []
      let concurrent = 0
      const outcomes = planned.map(async (call, index) => {
        await scheduler.schedule(Promise.resolve())
        return (call.exclusive ? exclusive : shared)(async () => {
          const others = [...running]
          if (call.exclusive ? others.length > 0 : others.some(other => planned[other]?.exclusive))
            overlaps.push(`${index}`)
          running.add(index)
          concurrent = Math.max(concurrent, running.size)
          await scheduler.schedule(Promise.resolve())
          running.delete(index)
          if (call.fails) throw new Error('as planned')
          return index
        })
      })
      const settled = await scheduler.waitFor(Promise.allSettled(outcomes))
      expect(overlaps).toEqual([])
      expect(settled.map(({ status }) => status)).toEqual(
        planned.map(({ fails }) => (fails ? 'rejected' : 'fulfilled')),
      )
    }),
  )
})

test('shared calls run concurrently', async () => {
  const { shared } = exclusion()
  const first = Promise.withResolvers<string>()
  const outcome = shared(() => first.promise)
  await shared(async () => first.resolve('the second call ran'))
  expect(await outcome).toBe('the second call ran')
})
