import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { forEachConcurrently } from '../../lib/concurrency.ts'
import { benchTable } from './bench-table.ts'
import { type Figure, inTurns, wallMs } from './measured.ts'

const warmUpRounds = 2
const connections = [1, 10, 50]

/**
 * Lists over HTTP from the local stack, at some numbers of connections; the floor is a bare server around the same
 * handler. Both servers and the table are processes of their own.
 */
export async function* measureThroughput(requests: number, rounds: number): AsyncGenerator<Figure> {
  const { endpoint, close } = await benchTable()
  const [stack, bare] = [await serve('stack', endpoint), await serve('bare', endpoint)]
  for (const atOnce of connections) {
    const sample = (get: () => Promise<void>) => async () =>
      (1000 * (await wallMs(() => getMany(get, requests, atOnce)))) / requests
    await inTurns(warmUpRounds, sample(bare.get), sample(stack.get))
    const samples = await inTurns(rounds, sample(bare.get), sample(stack.get))
    const name = `list over HTTP, ${atOnce} connections / bare server`
    yield { name, unit: 'µs/req', ...samples, target: 1.25 }
  }
  for (const server of [stack, bare]) server.stop()
  await close()
}

/** The memory of the local stack while it answers many lists. */
export async function reportMemory(requests: number, print: (line: string) => void) {
  const { endpoint, close } = await benchTable()
  const { get, residentBytes, stop } = await serve('stack', endpoint)
  const tenth = requests / 10
  for (let done = 0; done < requests; done += tenth) {
    const seconds = (await wallMs(() => getMany(get, tenth, 10))) / 1000
    print(
      `${done + tenth} lists: ${Math.round(tenth / seconds)} a second, resident ${Math.round((await residentBytes()) / 1e6)} MB`,
    )
  }
  stop()
  await close()
}

const getMany = (get: () => Promise<void>, requests: number, atOnce: number) =>
  forEachConcurrently(Array(requests).keys(), atOnce, get)

async function serve(kind: 'stack' | 'bare', endpoint: string) {
  const server = fork(join(import.meta.dirname, 'server-process.ts'), [kind, endpoint])
  const [{ url, token }] = await once(server, 'message')
  const headers = { Authorization: `Bearer ${token}`, 'Accept-Encoding': 'identity' }
  return {
    async get() {
      const answer = await fetch(url, { headers })
      await answer.arrayBuffer()
      if (answer.status !== 200) throw new Error(`The ${kind} server answered ${answer.status}.`)
    },
    async residentBytes(): Promise<number> {
      server.send('memory')
      return (await once(server, 'message'))[0]
    },
    stop: () => server.disconnect(),
  }
}
