import { randomUUID } from 'node:crypto'
import dns from 'node:dns'
import type { RequestListener, ServerResponse } from 'node:http'
import { createServer, type Socket } from 'node:net'
import { GetItemCommand } from '@aws-sdk/client-dynamodb'
import { GetCommand, NumberValue, PutCommand } from '@aws-sdk/lib-dynamodb'
import { marshall } from '@aws-sdk/util-dynamodb'
import { afterEach, describe, expect, inject, onTestFinished, test, vi } from 'vitest'
import { localAws } from '../../infra/dynamodb/client.ts'
import { listen } from '../../infra/listen.ts'
import { createTable, dropTable } from '../../infra/resources/table.ts'
import { openClient } from '../../lib/store/client.ts'
import { boundaryValues } from '../support/samples.ts'
import { serverOf } from '../support/machine.ts'
import { httpsServer } from '../auth/https-server.ts'

const anyCall = () => new GetCommand({ TableName: 'any', Key: { PK: 'x', SK: 'x' } })

async function secureServerOf(answer: RequestListener): Promise<string> {
  const { base, close } = await httpsServer(answer)
  onTestFinished(close)
  return base
}

/** The error of a call so many milliseconds of the fake timers later; undefined while it runs. */
function outcomeOf(call: Promise<unknown>) {
  let failure: unknown
  call.catch(error => {
    failure = error
  })
  return {
    async after(ms: number): Promise<unknown> {
      await vi.advanceTimersByTimeAsync(ms)
      return failure
    },
  }
}

afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

describe.each(['http', 'https'])('%s', scheme => {
  test(`the next calls use the connections of 50 calls at once over ${scheme}`, async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }) // 50 handshakes may take longer than a time-out
    const sockets = new Set<Socket>()
    let held: ServerResponse[] = []
    const hold: RequestListener = ({ socket }, response) => {
      sockets.add(socket)
      held.push(response)
      if (held.length < 50) return
      for (const one of held) one.end('{}')
      held = []
    }
    const client = openClient({
      endpoint: await (scheme === 'http' ? serverOf : secureServerOf)(hold),
      ...localAws,
    })
    for (const _ of ['first', 'next'])
      await Promise.all(Array.from({ length: 50 }, () => client.send(anyCall())))
    expect(sockets.size).toBe(50)
  })

  test.each([
    ['3 s', 3000, undefined],
    ['the given time', 50, 50],
  ])(`a call over ${scheme} that is not answered ends after %s`, async (_, ms, given) => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const received = Promise.withResolvers<void>()
    const silent = createServer(socket => {
      socket.on('error', () => {})
      socket.once('data', received.resolve)
    })
    onTestFinished(() => void silent.close())
    const endpoint = `${scheme}://127.0.0.1:${await listen(silent, 0)}`
    const sent = outcomeOf(openClient({ endpoint, ...localAws }, given).send(anyCall()))
    await received.promise
    expect(await sent.after(ms - 1)).toBeUndefined()
    expect(await sent.after(1)).toMatchObject({ name: 'TimeoutError', code: 'ETIMEDOUT' })
  })

  test(`a call over ${scheme} that gets no connection ends after 1 s`, async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const asked = Promise.withResolvers<void>()
    vi.spyOn(dns, 'lookup').mockImplementation((() => asked.resolve()) as never)
    const sent = outcomeOf(openClient({ endpoint: `${scheme}://table.invalid`, ...localAws }).send(anyCall()))
    await asked.promise
    expect(await sent.after(999)).toBeUndefined()
    expect(await sent.after(1)).toMatchObject({ name: 'TimeoutError' })
  })
})

test('no reply is copied for the log of the SDK', async () => {
  const endpoint = await serverOf((_, response) => void response.end('{}'))
  const client = openClient({ endpoint, ...localAws })
  const info = vi.fn()
  client.config.logger = { ...client.config.logger, debug: () => {}, info }
  await client.send(anyCall())
  expect(info).not.toHaveBeenCalled()
})

const digits = ['0.10000000000000000555', '9007199254740993', '123456789012345678901234567890.12345678']

test('an item that was read is written back as it was stored', async () => {
  const client = openClient({ endpoint: inject('dynamodbEndpoint'), ...localAws })
  const TableName = `client-${randomUUID()}`
  await createTable(client, TableName)
  onTestFinished(async () => {
    await dropTable(client, TableName)
  })
  const key = (SK: string) => ({ PK: 'x', SK })
  const put = (SK: string, attributes: object) =>
    client.send(new PutCommand({ TableName, Item: { ...attributes, ...key(SK) } }))
  const stored = async (SK: string) => {
    const { Item = {} } = await client.send(new GetItemCommand({ TableName, Key: marshall(key(SK)) }))
    return { ...Item, SK: undefined }
  }

  const values = [
    ...boundaryValues,
    ...digits.map(each => [each, NumberValue.from(each)] as const),
    [
      'a set with a number that JavaScript rounds',
      new Set([1, new NumberValue('9007199254740993')]),
    ] as const,
    ['a map with a member constructor', { constructor: 'x' }] as const,
  ]
  const map = Object.fromEntries(values)
  await put('given', { ...map, map, list: values.map(([, value]) => value) })
  const { Item: read = {} } = await client.send(new GetCommand({ TableName, Key: key('given') }))
  await put('again', read)
  const given = await stored('given')
  expect(given).toMatchObject(Object.fromEntries(digits.map(each => [each, { N: each }])))
  expect(await stored('again')).toEqual(given)
})
