import { once } from 'node:events'
import { request } from 'node:http'
import { connect } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { startEngine } from '../../../infra/dynamodb/engine.ts'

const headersOf = (operation: string) => ({
  'Content-Type': 'application/x-amz-json-1.0',
  'X-Amz-Target': `DynamoDB_20120810.${operation}`,
  'X-Amz-Date': '20261122T000000Z',
  Authorization: 'AWS4-HMAC-SHA256 Credential=local, SignedHeaders=host, Signature=none',
})

/** Status and permission for web pages of a call with these headers. */
async function answerWith(endpoint: string, more: Record<string, string>) {
  const headers = { ...headersOf('ListTables'), ...more }
  const [response] = await once(request(endpoint, { method: 'POST', headers }).end('{}'), 'response')
  response.resume()
  return [response.statusCode, response.headers['access-control-allow-origin']]
}

test('the embedded engine refuses what a web page can send', async () => {
  const { endpoint, stop } = await startEngine({ hostNames: ['host.docker.internal'] })
  onTestFinished(stop)
  for (const host of ['127.0.0.1', 'LocalHost', 'host.docker.internal'])
    for (const port of ['', ':8000'])
      expect(await answerWith(endpoint, { host: host + port }), host).toEqual([200, undefined])
  for (const origin of ['https://page.example', endpoint, 'null'])
    expect(await answerWith(endpoint, { origin }), origin).toEqual([403, undefined])
  for (const host of ['page.example', '127.0.0.1.page.example', 'localhost:8000:80', '192.0.2.1'])
    expect(await answerWith(endpoint, { host }), host).toEqual([403, undefined])
})

test('the embedded engine goes on after a call that it cannot read', async () => {
  const { endpoint, stop } = await startEngine()
  onTestFinished(stop)
  const send = async (operation: string, body: string) => {
    return await fetch(endpoint, { method: 'POST', headers: headersOf(operation), body })
  }
  for (const operation of ['TransactWriteItems', 'GetItem', 'constructor'])
    for (const body of ['{', 'null', '{"TableName":"any","Key":{"PK":null}}'])
      expect((await send(operation, body)).status).toBe(400)
  const socket = connect(Number(new URL(endpoint).port), '127.0.0.1')
  socket.write('POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n{')
  await once(socket, 'ready')
  socket.resetAndDestroy()
  await once(socket, 'close')
  const { status, headers } = await send('ListTables', '{}')
  expect([status, headers.get('connection'), headers.get('keep-alive')]).toEqual([200, 'keep-alive', null])
})
