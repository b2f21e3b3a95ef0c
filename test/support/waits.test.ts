import { expect, test } from 'vitest'
import { fakeResponseStream } from './fake-response-stream.ts'
import { tapWire } from './wire.ts'
import { world } from './world.ts'

// A test whose request is refused, or that fails otherwise, ends at once: nothing waits for what does not come.

test.each([
  [200, false],
  [401, true],
  [503, true],
])('a client that stalls takes an answer %i whole: %s', async (statusCode, isTaken) => {
  const { openStream, isEnded } = fakeResponseStream(() => new Promise(() => {}))
  openStream({ statusCode }).end('x')
  await new Promise(setImmediate)
  expect(isEnded()).toBe(isTaken)
})

test('a world is cleaned up although its client gets only empty replies', async () => {
  const cleanUps: (() => Promise<void>)[] = []
  const { client } = await world({}, cleanUp => cleanUps.push(cleanUp))
  tapWire(client, reply => ({ ...reply, headers: {}, body: Buffer.from('{}') }))
  for (const cleanUp of cleanUps) await cleanUp()
})
