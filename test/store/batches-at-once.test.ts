import { expect, test } from 'vitest'
import { batchesAtOnce } from '../../lib/store/batches-at-once.ts'

const never = new AbortController().signal

/** Batches; `start` begins more of them, and `inFlight` has the ends of those that may be sent. */
function batches() {
  const begin = batchesAtOnce()
  const inFlight: ((isCongested: boolean) => void)[] = []
  const start = async (count: number) => {
    for (let n = 0; n < count; n++) void begin(never).then(end => inFlight.push(end))
    await new Promise(resolve => setImmediate(resolve))
  }
  return { begin, inFlight, start }
}

test('without congestion nothing waits', async () => {
  const { inFlight, start } = batches()
  await start(1000)
  expect(inFlight).toHaveLength(1000)
})

test('congestion halves the batches at once, down to one, those in flight together once; others add to them', async () => {
  const { inFlight, start } = batches()
  await start(16)
  const atOnce: number[] = []
  for (const isCongested of [true, true, true, true, true, false, false, false, false]) {
    atOnce.push(inFlight.length)
    for (const end of inFlight.splice(0)) end(isCongested)
    await start(20)
  }
  expect(atOnce).toEqual([16, 8, 4, 2, 1, 1, 2, 2, 3])
})

test('a batch that is aborted while it waits gives up its place', async () => {
  const { begin, inFlight, start } = batches()
  await start(1)
  inFlight.pop()?.(true)
  await start(1)
  const controller = new AbortController()
  const waiting = begin(controller.signal)
  await start(1)
  controller.abort(new Error('over'))
  await expect(waiting).rejects.toThrow('over')
  expect(inFlight).toHaveLength(1)
  inFlight[0]?.(false)
  await start(0)
  expect(inFlight).toHaveLength(2)
})
