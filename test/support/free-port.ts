import { once } from 'node:events'
import { createServer } from 'node:net'
import { listen } from '../../infra/listen.ts'

/** A port that was free a moment ago. */
export async function freePort(): Promise<number> {
  const server = createServer()
  const port = await listen(server, 0)
  await once(server.close(), 'close')
  return port
}
