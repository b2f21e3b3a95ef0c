import { describe, expect, test } from 'vitest'
import { chunk, firstBeside, forEachConcurrently, prefetch } from '../../lib/concurrency.ts'

/** Work that ends only when it is told to. */
function gates() {
  const open: { item: number; end: PromiseWithResolvers<void> }[] = []
  let running = 0
  let most = 0
  return {
    begin: async (item: number) => {
      const end = Promise.withResolvers<void>()
      open.push({ item, end })
      running += 1
      most = Math.max(most, running)
      try {
        await end.promise
      } finally {
        running -= 1
      }
      return item
    },
    next: () => open.shift()?.end,
    started: () => open.map(({ item }) => item),
    running: () => running,
    most: () => most,
  }
}
const settle = () => new Promise(resolve => setImmediate(resolve))

describe('forEachConcurrently', () => {
  test('does everything once, and never more at once than it may', async () => {
    const work = gates()
    const done: number[] = []
    const all = forEachConcurrently([1, 2, 3, 4, 5], 2, async item => {
      done.push(await work.begin(item))
    })
    for (let n = 0; n < 5; n++) {
      await settle()
      work.next()?.resolve()
    }
    await all
    expect(done).toEqual([1, 2, 3, 4, 5])
    expect(work.most()).toBe(2)
  })

  test('throws the first error only when nothing runs any more, and starts nothing after it', async () => {
    const work = gates()
    let ended = false
    const all = forEachConcurrently([1, 2, 3, 4], 2, async item => void (await work.begin(item))).finally(
      () => {
        ended = true
      },
    )
    all.catch(() => {})
    await settle()
    work.next()?.reject(new Error('first'))
    await settle()
    expect([ended, work.running()]).toEqual([false, 1])
    work.next()?.reject(new Error('second'))
    await expect(all).rejects.toThrow('first')
    expect([work.running(), work.started()]).toEqual([0, []])
  })

  test('of nothing is done', async () => {
    await expect(forEachConcurrently([], 3, () => Promise.reject(new Error()))).resolves.toBeUndefined()
  })
})

describe('prefetch', () => {
  test('gives the results in order, however they come', async () => {
    const slow = async (item: number) => {
      for (let n = 0; n < 6 - item; n++) await settle()
      return item
    }
    expect(await Array.fromAsync(prefetch([1, 2, 3, 4, 5], 3, slow))).toEqual([1, 2, 3, 4, 5])
  })

  test('ends only when nothing runs any more, also for who stops early', async () => {
    const work = gates()
    const reading = prefetch([1, 2, 3, 4], 3, work.begin)
    const first = reading.next()
    await settle()
    work.next()?.resolve()
    expect((await first).value).toBe(1)
    let ended = false
    const stopped = reading.return(undefined).then(() => {
      ended = true
    })
    await settle()
    expect([ended, work.running()]).toEqual([false, 2])
    work.next()?.reject(new Error('nobody waits for it'))
    work.next()?.resolve()
    await stopped
    expect(work.running()).toBe(0)
  })

  test('throws an error when its turn comes', async () => {
    const read = (item: number) => (item === 2 ? Promise.reject(new Error('two')) : Promise.resolve(item))
    const seen: number[] = []
    const all = (async () => {
      for await (const item of prefetch([1, 2, 3], 3, read)) seen.push(item)
    })()
    await expect(all).rejects.toThrow('two')
    expect(seen).toEqual([1])
  })
})

describe('firstBeside', () => {
  async function* counted(seen: string[]) {
    try {
      for (let n = 1; n <= 3; n++) {
        seen.push(`made ${n}`)
        yield n
      }
    } finally {
      seen.push('ended')
    }
  }

  test('makes the first value beside the work, and the others as they are asked for', async () => {
    const seen: string[] = []
    const work = settle().then(() => void seen.push('worked'))
    const values = await firstBeside(work, counted(seen))
    expect(seen).toEqual(['made 1', 'worked'])
    expect(await Array.fromAsync(values)).toEqual([1, 2, 3])
  })

  test('of no value gives none', async () => {
    expect(await Array.fromAsync(await firstBeside(settle(), prefetch([], 1, settle)))).toEqual([])
  })

  test('throws what the work throws, when the values have ended', async () => {
    const seen: string[] = []
    await expect(firstBeside(Promise.reject(new Error('work')), counted(seen))).rejects.toThrow('work')
    expect(seen).toEqual(['made 1', 'ended'])
  })

  test('throws what the first value throws, when the work is done', async () => {
    let isDone = false
    const work = settle().then(() => {
      isDone = true
    })
    const values = prefetch([1], 1, () => Promise.reject(new Error('value')))
    await expect(firstBeside(work, values)).rejects.toThrow('value')
    expect(isDone).toBe(true)
  })

  test('lets the values end for who stops at the first', async () => {
    const seen: string[] = []
    for await (const value of await firstBeside(settle(), counted(seen))) if (value === 1) break
    expect(seen).toEqual(['made 1', 'ended'])
  })
})

test('chunks keep the order and lose nothing', () => {
  expect(chunk([1, 2, 3, 4, 5], 2)).toEqual([[1, 2], [3, 4], [5]])
  expect(chunk([], 2)).toEqual([])
})
