import fc from 'fast-check'
import { expect, test } from 'vitest'
import { exclusion } from '../../../infra/dynamodb/exclusion.ts'

test('a call that runs alone meets no other, whatever comes when and however it ends', async () => {
  const calls = fc.array(fc.record({ alone: fc.boolean(), fails: fc.boolean() }), { maxLength: 12 })
  await fc.assert(
    fc.asyncProperty(fc.scheduler(), calls, async (scheduler, planned) => {
      const { beside, alone } = exclusion()
      const running = new Set<number>()
      const met: string[] = []
      let sideBySide = 0
      const outcomes = planned.map(async (call, index) => {
        await scheduler.schedule(Promise.resolve())
        return (call.alone ? alone : beside)(async () => {
          const others = [...running]
          if (call.alone ? others.length > 0 : others.some(other => planned[other]?.alone))
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

test('calls run side by side when none is to run alone', async () => {
  const { beside } = exclusion()
  const first = Promise.withResolvers<string>()
  const outcome = beside(() => first.promise)
  await beside(async () => first.resolve('the second one was not kept waiting'))
  expect(await outcome).toBe('the second one was not kept waiting')
})
