/** An HTTP answer of the deployment. */
export interface Answer {
  status: number
  headers: Headers
  /** Undefined when the body is not JSON. */
  json: unknown
  tookMs: number
}

/** Sends a request to the deployment, for an answer without compression unless the headers say otherwise. */
export type Ask = (
  url: string,
  headers?: Record<string, string>,
  method?: 'GET' | 'DELETE',
) => Promise<Answer>

/** @throws Error of one clause when there is no answer */
export const askWithin =
  (timeoutMs: number): Ask =>
  async (url, headers, method = 'GET') => {
    const startedAt = performance.now()
    let response: Response | undefined
    try {
      response = await fetch(url, {
        method,
        headers: { 'accept-encoding': 'identity', ...headers },
        redirect: 'manual', // the token must not be sent to another host
        signal: AbortSignal.timeout(timeoutMs),
      })
      const text = await response.text()
      return {
        status: response.status,
        headers: response.headers,
        json: parsed(text),
        tookMs: performance.now() - startedAt,
      }
    } catch (error) {
      throw new Error(`${url} ${reasonOf(error as Error, timeoutMs, response)}`)
    }
  }

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function reasonOf(error: Error, timeoutMs: number, response: Response | undefined): string {
  if (error.name === 'TimeoutError') return `gave no answer within ${timeoutMs / 1000} s`
  const { code, message } = (error.cause ?? error) as NodeJS.ErrnoException
  if (response === undefined) return `cannot be reached (${code ?? message})`
  const coding = response.headers.get('Content-Encoding') ?? 'identity'
  return `sent a body that cannot be read as its Content-Encoding, ${coding}, says (${code ?? message})`
}
