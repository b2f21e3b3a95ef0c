import { Writable } from 'node:stream'
import { expect, test } from 'vitest'
import { send } from '../../lib/http/transfer.ts'

const head = { statusCode: 200, headers: {} }

test.each([
  [200, 0, 200_000_000],
  [200, 1, 200_000_000],
])('of a body of %i MB and %i bytes, %i bytes are sent', async (pieces, more, sentBytes) => {
  let bytes = 0
  const sink = new Writable({
    write(chunk, _, done) {
      bytes += chunk.length
      done()
    },
  })
  const body = [...Array(pieces).fill('é'.repeat(500_000)), 'y'.repeat(more)]
  const sent = send(head, body, () => sink)
  if (more === 0) await sent
  else await expect(sent).rejects.toMatchObject({ code: 'answer_too_large' })
  expect([bytes, sink.destroyed]).toEqual([sentBytes, more === 0])
})

test.each([
  [4_706_304, { isBase64Encoded: true }],
  [4_706_305, { code: 'answer_too_large' }],
])('of %i bytes, which are buffered as base64, the answer is %j', async (bytes, answer) => {
  const pieces = async function* () {
    yield Buffer.alloc(bytes)
  }
  expect(await send(head, pieces()).catch(error => error)).toMatchObject(answer)
})

test('sending waits for a stalled stream until the signal aborts', async () => {
  const stalled = new Writable({ highWaterMark: 1, write: () => {} })
  const sending = send(head, ['a', 'b'], () => stalled, AbortSignal.abort(new Error('time is over')))
  await expect(sending).rejects.toThrow('time is over')
  expect([stalled.destroyed, stalled.writableEnded]).toEqual([false, false])
})

test.each([[['b']], [[]]])(
  'a stream that fails before the pieces %j fails the sending at once',
  async rest => {
    const failing = new Writable({ write: (_, __, done) => void setImmediate(done, new Error('gone')) })
    async function* pieces() {
      yield 'a'
      await new Promise(setImmediate)
      await new Promise(setImmediate)
      yield* rest
    }
    await expect(send(head, pieces(), () => failing)).rejects.toThrow('gone')
  },
)
