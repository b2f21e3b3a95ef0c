import { describe, expect, test } from 'vitest'
import { mistakes } from './mistakes.ts'
import { stage } from './scene.ts'
import { sweep } from './sweep.ts'

const scene = stage()

describe('a removal that crashes at any call, and is sent again, keeps every promise', () => {
  /** find, begin, members, finish; per 25 one to three batches of unlinkings, and a mark; per 100 a read. */
  const leastCalls = (count: number) => 4 + 2 * Math.ceil(count / 25) + Math.ceil(count / 100)

  test.each(process.env.TEST_FULL ? [0, 1, 24, 25, 26, 60] : [0, 1, 26])('of %i users', async count => {
    const { crashes, broken } = await sweep(scene, count)
    expect(broken).toEqual([])
    expect(crashes).toBeGreaterThanOrEqual(2 * leastCalls(count))
  })
})

describe('the sweep sees it when', () => {
  test.each(Object.entries(mistakes))('%s', async (_, mistake) => {
    const small = await sweep(scene, 3, { mistake })
    const { broken } = small.broken.length > 0 ? small : await sweep(scene, 26, { mistake })
    expect(broken).not.toEqual([])
  })
})
