import { Writable } from 'node:stream'
import { expect, test } from 'vitest'
import type { Resource } from '../../lib/domain/resources.ts'
import { dataPieces } from '../../lib/http/envelope.ts'
import { send } from '../../lib/http/transfer.ts'

test.each([[[]], [[[]]], [[[], [1], [], [2, 3], []]]])('pages of %j are one array', async numbers => {
  async function* pages() {
    // Numbers stand for resources: an answer writes its rows as they are.
    for (const page of numbers) yield page as unknown as Resource[]
  }
  const pieces = await Array.fromAsync(dataPieces({ rows: { total: 3, pages: pages() } }))
  expect(JSON.parse(pieces.join(''))).toEqual({ data: { rows: numbers.flat() } })
})

const head = { statusCode: 200, headers: {} }

test.each([0, 1])('of a body of 200 MB and %i bytes, 200 MB are sent', async more => {
  let bytes = 0
  const sink = new Writable({
    write(chunk, _, done) {
      bytes += chunk.length
      done()
    },
  })
  const sent = send(head, [...Array(200).fill('é'.repeat(500_000)), 'y'.repeat(more)], () => sink)
  if (more === 0) await sent
  else await expect(sent).rejects.toMatchObject({ code: 'answer_too_large' })
  expect([bytes, sink.destroyed]).toEqual([200_000_000, more === 0])
})

test.each([
  [4_706_304, true],
  [4_706_305, 'answer_too_large'],
])('of %i bytes, which are buffered as base64, the answer is %s', async (bytes, expected) => {
  const answer = await send(head, [Buffer.alloc(bytes)]).catch(error => error)
  expect(answer.code ?? answer.isBase64Encoded).toBe(expected)
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
