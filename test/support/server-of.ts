import { createServer, type RequestListener } from 'node:http'
import { onTestFinished } from 'vitest'
import { close, listen } from '../../infra/listen.ts'

/** Starts a server with this listener until the end of the test. @returns its URL */
export async function serverOf(answer: RequestListener): Promise<string> {
  const server = createServer(answer)
  onTestFinished(() => close(server))
  return `http://127.0.0.1:${await listen(server, 0)}`
}
