import { once } from 'node:events'
import { connect } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { startEngine } from '../../../infra/dynamodb/engine.ts'

test('the embedded engine goes on after a call that it cannot read and a connection that is reset, and closes none', async () => {
  const { endpoint, stop } = await startEngine()
  onTestFinished(stop)
  const send = async (operation: string, body: string) => {
    const headers = {
      'Content-Type': 'application/x-amz-json-1.0',
      'X-Amz-Target': `DynamoDB_20120810.${operation}`,
      'X-Amz-Date': '20261122T000000Z',
      Authorization: 'AWS4-HMAC-SHA256 Credential=local, SignedHeaders=host, Signature=none',
    }
    return await fetch(endpoint, { method: 'POST', headers, body })
  }
  for (const operation of ['BatchExecuteStatement', 'TransactWriteItems', 'GetItem', 'constructor'])
    for (const body of ['{', 'null', '{"TableName":"any","Key":{"PK":null}}'])
      expect((await send(operation, body)).status).toBe(400)
  const socket = connect(Number(new URL(endpoint).port), '127.0.0.1')
  socket.write('POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\n{')
  await once(socket, 'ready')
  socket.resetAndDestroy()
  await once(socket, 'close')
  const { status, headers } = await send('ListTables', '{}')
  expect([status, headers.get('connection'), headers.get('keep-alive')]).toEqual([200, 'keep-alive', null])
})
