import { describe, expect, test } from 'vitest'
import { mistakes } from './mistakes.ts'
import { scenarioFactory } from './scenario.ts'
import { sweep } from './sweep.ts'

const makeScenario = scenarioFactory()

describe('a removal that crashes at any call and is repeated keeps every promise', () => {
  /** find, begin, members, finish; per 25 users an unlink (up to three) and a mark; per 100 users a read. */
  const minimumCalls = (count: number) => 4 + 2 * Math.ceil(count / 25) + Math.ceil(count / 100)

  test.each(process.env.TEST_FULL ? [0, 1, 24, 25, 26, 60] : [0, 1, 26])('of %i users', async count => {
    const { crashes, broken } = await sweep(makeScenario, count)
    expect(broken).toEqual([])
    expect(crashes).toBeGreaterThanOrEqual(2 * minimumCalls(count))
  })
})

describe('the sweep detects that', () => {
  test.each(Object.entries(mistakes))('%s', async (_, mistake) => {
    const small = await sweep(makeScenario, 3, { mistake })
    const { broken } = small.broken.length > 0 ? small : await sweep(makeScenario, 26, { mistake })
    expect(broken).not.toEqual([])
  })
})
