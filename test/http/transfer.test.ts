import { Writable } from 'node:stream'
import { expect, test } from 'vitest'
import { send } from '../../lib/http/transfer.ts'

const head = { statusCode: 200, headers: {} }

test.each([
  [200, 0, 200_000_000],
  [200, 1, 200_000_000],
])('a stream of %i MB and %i bytes more takes %i bytes', async (pieces, more, taken) => {
  let bytes = 0
  const sink = new Writable({
    write(chunk, _, done) {
      bytes += chunk.length
      done()
    },
  })
  const body = [...Array.from({ length: pieces }, () => 'x'.repeat(1_000_000)), 'y'.repeat(more)]
  const sent = send(head, body, () => sink)
  if (more === 0) await sent
  else await expect(sent).rejects.toMatchObject({ code: 'answer_too_large' })
  expect([bytes, sink.destroyed]).toEqual([taken, more === 0])
})

test('a stream that nobody reads is waited for until the signal aborts', async () => {
  const stuck = new Writable({ highWaterMark: 1, write: () => {} })
  const sending = send(head, ['a', 'b'], () => stuck, AbortSignal.abort(new Error('time is over')))
  await expect(sending).rejects.toThrow('time is over')
  expect([stuck.destroyed, stuck.writableEnded]).toEqual([false, false])
})
