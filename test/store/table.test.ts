import type { ServerResponse } from 'node:http'
import { QueryCommand } from '@aws-sdk/lib-dynamodb'
import { isTransientError } from '@smithy/core/retry'
import { expect, test } from 'vitest'
import { localAws } from '../../infra/dynamodb/client.ts'
import { completeReply } from '../../lib/store/broken-reply.ts'
import { openClient } from '../../lib/store/client.ts'
import { type Table, openTable } from '../../lib/store/table.ts'
import { systemClock } from '../../lib/time.ts'
import { serverOf } from '../support/server-of.ts'

const key = { PK: 'partition', SK: 'one' }
const stored = { PK: { S: key.PK }, SK: { S: key.SK } }

/** A table behind a server that sends these replies. */
async function tableBehind(nextReply: () => object): Promise<Table> {
  const endpoint = await serverOf((_, response) => response.end(JSON.stringify(nextReply())))
  const client = openClient({ endpoint, ...localAws })
  return openTable(client, 'any', systemClock)
}

type Call = (table: Table, signal: AbortSignal) => Promise<unknown>
const update = { key, change: 'SET a = ?', changeValues: [1] }
const calls: [name: string, call: Call, reply: object][] = [
  ['get', (table, signal) => table.get(key, signal), { ConsumedCapacity: {} }],
  [
    'query',
    (table, signal) => table.query({ PK: key.PK, prefix: '' }, item => item, signal),
    { Items: [], Count: 0 },
  ],
  [
    'update',
    (table, signal) => table.update(key, { UpdateExpression: 'REMOVE a' }, signal),
    { Attributes: stored },
  ],
  ['batchGet', (table, signal) => table.batchGet([key], signal), { Responses: {}, UnprocessedKeys: {} }],
  ['updateUsers', (table, signal) => table.updateUsers([update], signal), { Responses: [{}] }],
  ['updateMemberships', (table, signal) => table.updateMemberships([update], signal), { Responses: [{}] }],
]

test.each(calls)('a %s ends with its signal, even when the reply arrives', async (_, call, reply) => {
  const controller = new AbortController()
  const table = await tableBehind(() => {
    controller.abort(new Error('the time is over'))
    return reply
  })
  await expect(call(table, controller.signal)).rejects.toThrow('the time is over')
})

test('what DynamoDB leaves unprocessed of a batchGet is sent again', async () => {
  const replies = [
    { Responses: {}, UnprocessedKeys: { any: { Keys: [stored] } } },
    { Responses: {}, UnprocessedKeys: {} },
  ]
  const table = await tableBehind(() => replies.shift() ?? {})
  await table.batchGet([key], new AbortController().signal)
  expect(replies).toEqual([])
})

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
