import { createServer, type RequestListener } from 'node:http'
import { onTestFinished } from 'vitest'
import { close, listen } from '../../../infra/listen.ts'
import { endpointUrls } from '../../../infra/serverless/service-definition.ts'
import { smoke } from '../../../infra/smoke/smoke.ts'

/** Runs the smoke test against the deployment at the URL. @returns its lines, and whether it passed */
export async function smokeAt(url: string, token: string, more: Partial<Parameters<typeof smoke>[0]> = {}) {
  const lines: string[] = []
  const log = (line: string) => lines.push(line)
  const { listUrl } = endpointUrls(url)
  const isHealthy = await smoke({ listUrl, token, timeoutMs: 30_000, log, ...more })
  return { isHealthy, lines }
}

/** Starts a server with this listener. @returns its URL */
export async function serverOf(answer: RequestListener): Promise<string> {
  const server = createServer(answer)
  onTestFinished(() => close(server))
  return `http://127.0.0.1:${await listen(server, 0)}`
}

/** A text in the form of a token. */
export const someToken = 'aaa.bbb.ccc'
