import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { awslambda, callHandler } from '../../../infra/local/functions/runtime.ts'

// test/end-to-end calls the built functions by it.

const head = { statusCode: 200, headers: {} }
type Stream = Parameters<typeof awslambda.HttpResponseStream.from>[0]

/** A streaming handler that writes, and then does the rest. */
const streaming = (rest: (stream: Stream) => void) =>
  awslambda.streamifyResponse(async (_, stream) => {
    awslambda.HttpResponseStream.from(stream as Stream, head).write('{')
    rest(stream as Stream)
  })

test('a streamed answer begins with its head, and breaks off when the handler throws', async () => {
  const whole = await callHandler(
    streaming(stream => stream.end('}')),
    {},
    {},
  )
  expect(whole).toMatchObject(head)
  expect(await text(whole.body as Stream)).toBe('{}')
  const fail = () => {
    throw new Error('the table is gone')
  }
  const cut = await callHandler(streaming(fail), {}, {})
  await expect(text(cut.body as Stream)).rejects.toThrow('the table is gone')
})

test('a handler that throws before its answer begins, or ends without one, has none', async () => {
  const fail = async () => {
    throw new Error('the table is gone')
  }
  for (const handler of [fail, awslambda.streamifyResponse(fail)])
    await expect(callHandler(handler, {}, {})).rejects.toThrow('the table is gone')
  const silent = awslambda.streamifyResponse(async () => {})
  await expect(callHandler(silent, {}, {})).rejects.toThrow('has not opened its stream')
})
