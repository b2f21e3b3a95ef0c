import { createServer, type Socket } from 'node:net'
import { expect, onTestFinished, test, vi } from 'vitest'
import { localAws } from '../../infra/dynamodb/client.ts'
import { listen } from '../../infra/listen.ts'
import { Failure } from '../../lib/domain/failure.ts'
import { openClient } from '../../lib/store/client.ts'
import type { Key } from '../../lib/store/keys.ts'
import { openTable } from '../../lib/store/table.ts'
import { fakeClock } from '../support/fake-clock.ts'

const never = new AbortController().signal
const key = { PK: 'x', SK: 'x' }

/** Starts a server that does this with each connection. @returns its port, and how many there were */
async function serverOfSockets(act: (socket: Socket) => void) {
  const count = { connections: 0 }
  const server = createServer(socket => {
    count.connections += 1
    socket.on('error', () => {})
    act(socket)
  })
  onTestFinished(() => void server.close())
  return { port: await listen(server, 0), count }
}

const answer = (text: string) => (socket: Socket) => void socket.once('data', () => socket.end(text))

test.each<[string, 'http' | 'https', (socket: Socket) => void, why: RegExp]>([
  ['TLS to a port without TLS', 'https', answer('HTTP/1.1 400 Bad Request\r\n\r\n'), /EPROTO|ERR_SSL/],
  ['another protocol than HTTP', 'http', answer('SSH-2.0-OpenSSH_9.2\r\n'), /HPE_/],
  ['a connection that ends in the TLS handshake', 'https', socket => void socket.end(), /ECONNRESET/],
  [
    'a reply that breaks off',
    'http',
    answer('HTTP/1.1 200 OK\r\nContent-Length: 20\r\n\r\n{"I'),
    /BrokenReply/,
  ],
  ['a reset', 'http', socket => void socket.resetAndDestroy(), /ECONNRESET/],
])('a call that always meets %s is table_busy after eight attempts', async (_, scheme, act, why) => {
  const { port, count } = await serverOfSockets(act)
  const client = openClient({ endpoint: `${scheme}://127.0.0.1:${port}`, ...localAws })
  const clock = fakeClock()
  const table = openTable(client, 'any', clock)
  const { code, cause } = await clock.moving(table.get(key, never)).catch(error => error)
  expect([code, cause.code ?? cause.name]).toEqual(['table_busy', expect.stringMatching(why)])
  expect(count.connections).toBe(8)
})

test.each<[string, Parameters<typeof openClient>[0], unknown?]>([
  ['with a value that cannot be sent', localAws, Symbol('x')],
  ['without a region', { credentials: localAws.credentials }],
  ['without credentials', { region: localAws.region }],
  [
    'with credentials that no header can have',
    { ...localAws, credentials: { accessKeyId: 'a\nb', secretAccessKey: 'c' } },
  ],
])('a call %s fails at once, as a bug', async (_, where, PK = 'x') => {
  const files = { AWS_CONFIG_FILE: '/dev/null', AWS_SHARED_CREDENTIALS_FILE: '/dev/null' }
  const nothing = { AWS_REGION: undefined, AWS_ACCESS_KEY_ID: undefined, AWS_PROFILE: undefined }
  for (const [name, value] of Object.entries({ ...files, ...nothing, AWS_EC2_METADATA_DISABLED: 'true' }))
    vi.stubEnv(name, value)
  onTestFinished(() => void vi.unstubAllEnvs())
  const { port, count } = await serverOfSockets(socket => void socket.destroy())
  const clock = fakeClock()
  const table = openTable(openClient({ endpoint: `http://127.0.0.1:${port}`, ...where }), 'any', clock)
  const failure = await clock.moving(table.get({ PK, SK: 'x' } as Key, never)).catch(error => error)
  expect(failure).toBeInstanceOf(Error)
  expect(failure).not.toBeInstanceOf(Failure)
  expect(count.connections).toBe(0)
})

test('a call that DynamoDB refuses fails at once although its reply has a code', async () => {
  const refused = 'HTTP/1.1 400 Bad Request\r\n\r\n{"__type":"ValidationException","code":"EPROTO"}'
  const { port, count } = await serverOfSockets(answer(refused))
  const clock = fakeClock()
  const table = openTable(openClient({ endpoint: `http://127.0.0.1:${port}`, ...localAws }), 'any', clock)
  await expect(clock.moving(table.get(key, never))).rejects.toMatchObject({ name: 'ValidationException' })
  expect(count.connections).toBe(1)
})
