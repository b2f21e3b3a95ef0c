import fc from 'fast-check'
import { expect, test } from 'vitest'
import { exclusion } from '../../../infra/dynamodb/exclusion.ts'

test('a call that runs exclusive meets no other, whatever comes when and however it ends', async () => {
  const calls = fc.array(fc.record({ exclusive: fc.boolean(), fails: fc.boolean() }), { maxLength: 12 })
  await fc.assert(
    fc.asyncProperty(fc.scheduler(), calls, async (scheduler, planned) => {
      const { shared, exclusive } = exclusion()
      const running = new Set<number>()
      const met: string[] = []
      let sideBySide = 0
      const outcomes = planned.map(async (call, index) => {
        await scheduler.schedule(Promise.resolve())
        return (call.exclusive ? exclusive : shared)(async () => {
          const others = [...running]
          if (call.exclusive ? others.length > 0 : others.some(other => planned[other]?.exclusive))
            met.push(`${index}`)
          running.add(index)
          sideBySide = Math.max(sideBySide, running.size)
          await scheduler.schedule(Promise.resolve())
          running.delete(index)
          if (call.fails) throw new Error('as planned')
          return index
        })
      })
      const settled = await scheduler.waitFor(Promise.allSettled(outcomes))
      expect(met).toEqual([])
      expect(settled.map(({ status }) => status)).toEqual(
        planned.map(({ fails }) => (fails ? 'rejected' : 'fulfilled')),
      )
    }),
  )
})

test('calls run side by side when none is to run exclusive', async () => {
  const { shared } = exclusion()
  const first = Promise.withResolvers<string>()
  const outcome = shared(() => first.promise)
  await shared(async () => first.resolve('the second one was not kept waiting'))
  expect(await outcome).toBe('the second one was not kept waiting')
})
