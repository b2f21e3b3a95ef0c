import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ListTablesCommand } from '@aws-sdk/client-dynamodb'
import { describe, expect, onTestFinished, test } from 'vitest'
import { startEngine } from '../../../infra/dynamodb/engine.ts'
import { type LocalStackOptions, startLocalStack } from '../../../infra/local/stack.ts'
import { connectTo } from '../../../infra/dynamodb/client.ts'

async function start(options: Partial<LocalStackOptions> = {}) {
  const stack = await startLocalStack({ port: 0, log: () => {}, ...options })
  onTestFinished(stack.stop)
  const authorization = `Bearer ${await stack.tokenFor()}`
  const ask = async (path: string, method = 'GET', headers: Record<string, string> = {}) => {
    const response = await fetch(`${stack.url}/api/v2/saml${path}`, {
      method,
      headers: { authorization, ...headers },
    })
    return { status: response.status, headers: response.headers, body: JSON.parse(await response.text()) }
  }
  return {
    ...stack,
    ask,
    listedIds: async () => (await ask('')).body.data.saml_providers.map(({ id }: { id: number }) => id),
  }
}

const folder = () => {
  const made = mkdtempSync(join(tmpdir(), 'stack-'))
  onTestFinished(() => rmSync(made, { recursive: true }))
  return made
}

describe('the local stack', () => {
  test('lists, removes and lists again, answering as the functions do, and listens no more once stopped', async () => {
    const said: string[] = []
    const { ask, listedIds, url, table, stop } = await start({ log: line => said.push(line) })
    expect(said).toContain(`table      ${table.name} in an embedded DynamoDB at ${table.endpoint}`)
    expect(await listedIds()).toEqual([1, 2, 3, 4])
    const removed = await ask('/providers/1', 'DELETE')
    expect(removed.status).toBe(200)
    expect(removed.body.data.affected_user).toHaveLength(9)
    expect(await listedIds()).toEqual([2, 3, 4])

    // The emulation adds charset, compression, CORS and Vary.
    const { headers } = await ask('', 'GET', {
      origin: 'https://other.example',
      'accept-encoding': 'deflate',
    })
    expect(headers.get('content-type')).toBe('application/json')
    expect(headers.get('vary')).toBe('Prefer, Accept-Encoding')
    expect(headers.get('content-encoding')).toBeNull()
    expect(headers.get('access-control-allow-origin')).toBeNull()

    await stop()
    const socket = connect(Number(new URL(url).port), '127.0.0.1')
    await expect(once(socket, 'connect')).rejects.toThrow('ECONNREFUSED')
  })

  test('begins afresh, unless it is told to keep its data, which nobody else may use then', async () => {
    const dataDirectory = folder()
    const ids = async (keep: boolean, remove?: number) => {
      const { ask, listedIds, stop } = await start({ dataDirectory, keep })
      if (remove !== undefined) await ask(`/providers/${remove}`, 'DELETE')
      const listed = await listedIds()
      await stop()
      return listed
    }
    expect(await ids(true, 3)).toEqual([1, 2, 4])
    expect(await ids(false)).toEqual([1, 2, 3, 4])

    const { listedIds } = await start({ dataDirectory, keep: true })
    expect(await listedIds()).toEqual([1, 2, 4])
    await expect(start({ dataDirectory, keep: true })).rejects.toThrow(`in use by process ${process.pid}`)
  })

  test('imports no sample data when it is to be empty', async () => {
    expect(await (await start({ empty: true })).listedIds()).toEqual([])
  })

  test('leaves no table behind in an engine that is not its own', async () => {
    const engine = await startEngine()
    onTestFinished(engine.stop)
    const { stop, table } = await start({ dynamodbEndpoint: engine.endpoint })
    expect(table.endpoint).toBe(engine.endpoint)
    const client = connectTo(engine.endpoint)
    const tables = async () => (await client.send(new ListTablesCommand())).TableNames
    expect(await tables()).toEqual([table.name])
    await stop()
    expect(await tables()).toEqual([])
    client.destroy()
  })
})

describe('the embedded engine', () => {
  test('survives a client that hangs up in the middle of a request', async () => {
    const { endpoint, stop } = await startEngine()
    onTestFinished(stop)
    const socket = connect(Number(new URL(endpoint).port), '127.0.0.1')
    socket.write('POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\n{')
    await once(socket, 'ready')
    socket.resetAndDestroy()
    await once(socket, 'close')
    expect((await fetch(endpoint)).status).toBe(200)
  })
})
