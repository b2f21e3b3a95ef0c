import { describe, expect, test } from 'vitest'
import { chunk, firstBeside, forEachConcurrently, prefetch } from '../../lib/concurrency.ts'

/** Calls that the test ends one by one. */
function controlledCalls() {
  const open: { item: number; end: PromiseWithResolvers<void> }[] = []
  let running = 0
  let maximum = 0
  return {
    call: async (item: number) => {
      const end = Promise.withResolvers<void>()
      open.push({ item, end })
      running += 1
      maximum = Math.max(maximum, running)
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
    maximum: () => maximum,
  }
}
const settle = () => new Promise(resolve => setImmediate(resolve))

describe('forEachConcurrently', () => {
  test('calls once per item, at most `atOnce` at a time', async () => {
    const work = controlledCalls()
    const done: number[] = []
    const all = forEachConcurrently([1, 2, 3, 4, 5], 2, async item => {
      done.push(await work.call(item))
    })
    for (let n = 0; n < 5; n++) {
      await settle()
      work.next()?.resolve()
    }
    await all
    expect(done).toEqual([1, 2, 3, 4, 5])
    expect(work.maximum()).toBe(2)
  })

  test('throws the first error when all running calls have ended, and starts no call after it', async () => {
    const work = controlledCalls()
    let ended = false
    const all = forEachConcurrently([1, 2, 3, 4], 2, async item => void (await work.call(item))).finally(
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

  test('takes no further item of a stream after an error, and ends the stream', async () => {
    let taken = 0
    let isEnded = false
    async function* stream() {
      try {
        while (taken < 100) yield ++taken
      } finally {
        isEnded = true
      }
    }
    const fail = async (item: number) => {
      if (item === 3) throw new Error('three')
      await settle()
    }
    await expect(forEachConcurrently(stream(), 2, fail)).rejects.toThrow('three')
    expect([taken <= 4, isEnded]).toEqual([true, true])
  })

  test('starts no call for an item that a stream yields after an error', async () => {
    const second = Promise.withResolvers<number>()
    async function* stream() {
      yield* [1, second.promise]
    }
    const started: number[] = []
    const message = forEachConcurrently(stream(), 2, async item => {
      started.push(item)
      throw new Error('first')
    }).catch(error => error.message)
    await settle()
    second.resolve(2)
    expect([await message, started]).toEqual(['first', [1]])
  })

  test('throws the error of a stream', async () => {
    async function* broken() {
      yield 1
      throw new Error('cut')
    }
    await expect(forEachConcurrently(broken(), 2, async () => {})).rejects.toThrow('cut')
  })

  test('resolves without items', async () => {
    await expect(forEachConcurrently([], 3, () => Promise.reject(new Error()))).resolves.toBeUndefined()
  })
})

describe('prefetch', () => {
  test('yields the results in order, in whatever order the reads end', async () => {
    const slow = async (item: number) => {
      for (let n = 0; n < 6 - item; n++) await settle()
      return item
    }
    expect(await Array.fromAsync(prefetch([1, 2, 3, 4, 5], 3, slow))).toEqual([1, 2, 3, 4, 5])
  })

  test('ends when all running reads have ended, also when its consumer stops early', async () => {
    const work = controlledCalls()
    const reading = prefetch([1, 2, 3, 4], 3, work.call)
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
    work.next()?.reject(new Error('ignored'))
    work.next()?.resolve()
    await stopped
    expect(work.running()).toBe(0)
  })

  test('throws an error in order', async () => {
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
        seen.push(`computed ${n}`)
        yield n
      }
    } finally {
      seen.push('ended')
    }
  }

  test('computes the first value during the work, and the others on demand', async () => {
    const seen: string[] = []
    const work = settle().then(() => void seen.push('worked'))
    const values = await firstBeside(work, counted(seen))
    expect(seen).toEqual(['computed 1', 'worked'])
    expect(await Array.fromAsync(values)).toEqual([1, 2, 3])
  })

  test('yields nothing without values', async () => {
    expect(await Array.fromAsync(await firstBeside(settle(), prefetch([], 1, settle)))).toEqual([])
  })

  test('throws the error of the work when the values have ended', async () => {
    const seen: string[] = []
    await expect(firstBeside(Promise.reject(new Error('work')), counted(seen))).rejects.toThrow('work')
    expect(seen).toEqual(['computed 1', 'ended'])
  })

  test('throws the error of the first value when the work is done', async () => {
    let isDone = false
    const work = settle().then(() => {
      isDone = true
    })
    const values = prefetch([1], 1, () => Promise.reject(new Error('value')))
    await expect(firstBeside(work, values)).rejects.toThrow('value')
    expect(isDone).toBe(true)
  })

  test('ends the values when its consumer stops at the first', async () => {
    const seen: string[] = []
    for await (const value of await firstBeside(settle(), counted(seen))) if (value === 1) break
    expect(seen).toEqual(['computed 1', 'ended'])
  })
})

test('chunks contain all items in order', () => {
  expect(chunk([1, 2, 3, 4, 5], 2)).toEqual([[1, 2], [3, 4], [5]])
  expect(chunk([], 2)).toEqual([])
})
