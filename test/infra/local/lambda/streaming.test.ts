import { MessageChannel } from 'node:worker_threads'
import { describe, expect, test } from 'vitest'
import { receiveAnswer } from '../../../../infra/local/lambda/receive-answer.ts'
import { fixtureFunctions } from './fixture-functions.ts'

const chunkBytes = 64 * 1024

describe('a handler that streams', () => {
  test('sends its metadata and its chunks in order', async () => {
    const { invoke } = await fixtureFunctions(['streams'])
    const { json, stream } = await invoke('streams', { chunks: 3, bytes: 2 })
    expect(JSON.parse(json)).toMatchObject({ statusCode: 200 })
    expect(Buffer.concat((await stream?.toArray()) ?? [])).toEqual(Buffer.from([0, 0, 1, 1, 2, 2]))
  })

  test('continues when the reader destroys the stream', async () => {
    const { stream, logged } = await fixtureFunctions(['streams'])
    const body = await stream('streams', { chunks: 100, bytes: chunkBytes })
    body.destroy()
    await logged('all is written')
  })

  test('more than 200 MB is aborted', async () => {
    const { port1, port2 } = new MessageChannel()
    const { answer } = receiveAnswer(port1)
    const chunk = new Uint8Array(new SharedArrayBuffer(50 * 1024 * 1024)) // shared: no copy is sent
    port2.postMessage({ metadata: '{}' })
    const body = (await answer).stream?.iterator()
    const receives = async () => (await body?.next())?.value?.length
    for (let megabytes = 50; megabytes <= 200; megabytes += 50) {
      port2.postMessage({ chunk })
      expect(await receives()).toBe(chunk.length)
    }
    port2.postMessage({ chunk: chunk.subarray(0, 1) })
    await expect(receives()).rejects.toThrow('200 MB')
    port2.close()
  })

  test('without metadata before its first byte fails, as on Lambda, or when it throws before', async () => {
    const silent = ['streamsWithoutMetadata', 'streamsNothing', 'endsWithoutWriting']
    const { invoke } = await fixtureFunctions([...silent, 'throwsBeforeStreaming'])
    for (const name of silent) await expect(invoke(name), name).rejects.toThrow('without metadata')
    await expect(invoke('throwsBeforeStreaming')).rejects.toThrow('thrown by the handler')
  })

  test('that throws after the first byte aborts its stream', async () => {
    const { stream, log } = await fixtureFunctions(['throwsWhileStreaming'])
    const body = await stream('throwsWhileStreaming')
    await expect(body.toArray()).rejects.toThrow('thrown while streaming')
    expect(log()).toContain('thrown while streaming')
  })
})
