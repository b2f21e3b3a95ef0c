import { PassThrough } from 'node:stream'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { progressOn, type ShowPhase } from '../../infra/data/progress.ts'
import { scanTable } from '../../infra/data/table/scan.ts'
import type { Item } from '../../lib/store/items.ts'
import { type Plan, replyOf, withPlan } from '../support/test-client.ts'
import { inOrder } from '../support/put-items.ts'
import { sampleProvider, sampleUsers } from '../support/samples.ts'
import { itemsOf, never, scenario } from './scenario.ts'

test('a scan reads each item once in pages of any size', async () => {
  const s = await scenario()
  const all = itemsOf([sampleProvider(7)], sampleUsers(30, { saml: 7 }))
  await s.put(...all)
  const isConsistent = new Set<unknown>()
  const oneItemAPage: Plan = async ({ operation, body, send }) => {
    // The engine counts its items now and then.
    if (operation === 'DescribeTable') return replyOf({ Table: { ItemCount: 61 } })
    isConsistent.add(body.ConsistentRead)
    return send({ ...body, Limit: 1 })
  }
  const read: Item[] = []
  const progress = { total: 0, done: 0 }
  const phase: ShowPhase = (_, total = 0, work) => {
    progress.total = total
    return work(by => {
      progress.done += by
    })
  }
  const take = (items: Item[]) => void read.push(...items)
  await withPlan(oneItemAPage, () => scanTable({ ...s.data, phase }, take, never))
  expect(inOrder(read)).toEqual(all)
  expect(progress).toEqual({ total: all.length, done: all.length })
  expect([...isConsistent]).toEqual([true])
})

test('a scan needs no right to describe the table', async () => {
  const s = await scenario()
  await s.put(...itemsOf([sampleProvider(7)], []))
  const denying: Plan = ({ operation, send }) =>
    operation === 'DescribeTable' ? Promise.reject(new Error('denied')) : send()
  const read: Item[] = []
  await withPlan(denying, () => scanTable(s.data, items => void read.push(...items), never))
  expect(read).toHaveLength(1)
})

describe('the progress of a phase', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  const shownOn = (isTTY: boolean) => {
    const stream = Object.assign(new PassThrough(), { isTTY, columns: 80 })
    return { phase: progressOn(stream), text: () => String(stream.read() ?? '') }
  }

  test('is a line every ten seconds in a file', async () => {
    const { phase, text } = shownOn(false)
    await phase('users', 100, async advance => {
      vi.advanceTimersByTime(5000)
      advance(10)
      vi.advanceTimersByTime(4999)
      expect(text()).toBe('')
      vi.advanceTimersByTime(1)
      expect(text().trim()).toMatch(/^users: \[====-+\] 10 of 100, 45s left$/)
    })
    await phase('items', undefined, async advance => {
      advance(3)
      vi.advanceTimersByTime(20_000)
      expect(text()).toBe('items: 3\n\nitems: 3\n\n')
    })
  })

  test('is a bar on a terminal that is cleared at the end', async () => {
    const { phase, text } = shownOn(true)
    const failing = phase('users', 4, async advance => {
      advance(1)
      vi.advanceTimersByTime(1000)
      expect(text()).toMatch(/users: \[=+-+\] 1 of 4/)
      throw new Error('no users')
    })
    await expect(failing).rejects.toThrow('no users')
    expect(text().endsWith('\u001b[0J')).toBe(true)
    expect(vi.getTimerCount()).toBe(0)
  })
})
