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

/** A text in the form of a token. */
export const someToken = 'aaa.bbb.ccc'
