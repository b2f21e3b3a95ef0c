import type { ServerResponse } from 'node:http'
import { QueryCommand } from '@aws-sdk/lib-dynamodb'
import { isTransientError } from '@smithy/core/retry'
import { expect, test } from 'vitest'
import { localAws } from '../../infra/dynamodb/client.ts'
import { completeReply } from '../../lib/store/broken-reply.ts'
import { openClient } from '../../lib/store/client.ts'
import { serverOf } from '../support/server-of.ts'

const query = new QueryCommand({
  TableName: 'any',
  KeyConditionExpression: 'PK = :p',
  ExpressionAttributeValues: { ':p': 'any' },
})
const body = Buffer.from('{"Count":1,"Items":[{"PK":{"S":"é"}}]}')

/** Sends a query over a real socket to a server with this answer. */
async function queryWith(answer: (response: ServerResponse) => void, signal = new AbortController().signal) {
  const endpoint = await serverOf((request, response) => {
    request.resume().on('end', () => answer(response))
  })
  const client = openClient({ endpoint, ...localAws })
  return completeReply(client.send(query, { abortSignal: signal }), 'Items')
}

test('a reply is read in any number of chunks', async () => {
  const { Items } = await queryWith(response => {
    for (const byte of body) response.write(Buffer.of(byte))
    response.end()
  })
  expect(Items).toEqual([{ PK: 'é' }])
})

test('an error reply is thrown as it is', async () => {
  const text = '{"__type":"com.amazonaws.dynamodb.v20120810#ConditionalCheckFailedException"}'
  await expect(queryWith(response => response.writeHead(400).end(text))).rejects.toMatchObject({
    name: 'ConditionalCheckFailedException',
  })
})

test.each<[string, (response: ServerResponse) => void]>([
  ['has no body', response => response.end()],
  ['is HTML', response => response.end('<html>')],
  ['lacks its last byte', response => response.end(body.subarray(0, -1))],
  ['lacks a member', response => response.end('{"Count":1}')],
  [
    'breaks off',
    response => {
      response.writeHead(200, { 'content-length': body.length })
      response.write(body.subarray(0, 9), () => response.destroy())
    },
  ],
])('a reply that %s is retryable', async (_, answer) => {
  const error = await queryWith(answer).catch((thrown: Error) => thrown)
  expect(isTransientError(error as Parameters<typeof isTransientError>[0]), String(error)).toBe(true)
})

test('an incomplete reply that hangs ends when the signal aborts', async () => {
  const controller = new AbortController()
  const half = (response: ServerResponse) => {
    response.writeHead(200, { 'content-length': body.length })
    response.write(body.subarray(0, 9), () => controller.abort())
  }
  await expect(queryWith(half, controller.signal)).rejects.toThrow()
})
