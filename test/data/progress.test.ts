import { expect, test } from 'vitest'
import { progressOn } from '../../infra/data/progress.ts'
import { fakeClock } from '../support/fake-clock.ts'

test('a phase prints its progress every ten seconds until it ends', async () => {
  const clock = fakeClock()
  const lines: string[] = []
  const phase = progressOn(line => lines.push(line), clock)
  await phase('items', async advance => {
    advance(3)
    clock.advance(9999)
    expect(lines).toEqual([])
    clock.advance(1)
    advance(4)
    clock.advance(10_000)
  })
  const failing = phase('users', async () => {
    throw new Error('no users')
  })
  await expect(failing).rejects.toThrow('no users')
  clock.advance(60_000)
  expect(clock.scheduled()).toBe(0)
  expect(lines).toEqual(['items: 3', 'items: 7'])
})
