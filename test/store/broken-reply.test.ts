import type { ServerResponse } from 'node:http'
import { crc32 } from 'node:zlib'
import { QueryCommand } from '@aws-sdk/lib-dynamodb'
import { isTransientError } from '@smithy/core/retry'
import { expect, onTestFinished, test } from 'vitest'
import { localAws } from '../../infra/dynamodb/client.ts'
import { openClient } from '../../lib/store/client.ts'
import { serverOf } from '../support/server-of.ts'

const query = new QueryCommand({
  TableName: 'any',
  KeyConditionExpression: 'PK = :p',
  ExpressionAttributeValues: { ':p': 'any' },
})
const body = Buffer.from('{"Count":1,"Items":[{"PK":{"S":"é"}}]}')
const checked = { 'x-amz-crc32': String(crc32(body)), 'content-length': body.length }

/** Sends a query over a real socket to a server with this answer. */
async function queryWith(answer: (response: ServerResponse) => void, signal = new AbortController().signal) {
  const endpoint = await serverOf((request, response) => {
    request.resume().on('end', () => answer(response))
  })
  const client = openClient({ endpoint, ...localAws })
  onTestFinished(() => client.destroy())
  return client.send(query, { abortSignal: signal })
}

test('a reply with a valid checksum is read, in any number of chunks', async () => {
  const { Items } = await queryWith(response => {
    response.writeHead(200, checked)
    for (const byte of body) response.write(Buffer.of(byte))
    response.end()
  })
  expect(Items).toEqual([{ PK: 'é' }])
})

test('an error reply is read only with a valid checksum', async () => {
  const text = '{"__type":"com.amazonaws.dynamodb.v20120810#ConditionalCheckFailedException"}'
  const headers = { 'x-amz-crc32': String(crc32(text)) }
  await expect(queryWith(response => response.writeHead(400, headers).end(text))).rejects.toMatchObject({
    name: 'ConditionalCheckFailedException',
  })
  const otherChecksum = { 'x-amz-crc32': checked['x-amz-crc32'] }
  const broken = queryWith(response => response.writeHead(400, otherChecksum).end(text))
  await expect(broken).rejects.toMatchObject({ name: 'BrokenReply' })
})

test('every broken reply is retryable', async () => {
  for (const answer of [
    (response: ServerResponse) => response.writeHead(200).end(),
    (response: ServerResponse) => response.writeHead(200).end('<html>'),
    (response: ServerResponse) => response.writeHead(200).end(body.subarray(0, -1)),
    (response: ServerResponse) => response.writeHead(400).end(),
    (response: ServerResponse) => {
      response.writeHead(200, checked)
      response.write(body.subarray(0, 9), () => response.destroy())
    },
  ]) {
    const error = await queryWith(answer).catch((thrown: Error) => thrown)
    expect(isTransientError(error as Parameters<typeof isTransientError>[0]), String(error)).toBe(true)
  }
})

test('an incomplete reply that hangs ends when the signal aborts', async () => {
  const controller = new AbortController()
  const half = (response: ServerResponse) => {
    response.writeHead(200, checked)
    response.write(body.subarray(0, 9), () => controller.abort())
  }
  await expect(queryWith(half, controller.signal)).rejects.toThrow()
})
