import type { IncomingMessage, ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import type { Reply } from './reply.ts'

const shownMax = 200

/**
 * Logs one line when the answer to a request has ended, such as
 * `DELETE     /api/v2/saml/providers/7 404 provider_not_found 12 ms`; `cut` stands for an answer that broke off, without
 * a status when it had not begun.
 *
 * @returns a function that takes the answer: the code of a problem is read from its body
 */
export function logAnswer(request: IncomingMessage, response: ServerResponse, log: (line: string) => void) {
  const startMs = performance.now()
  const { method = '', url = '' } = request
  const problem: (string | Buffer)[] = []
  response.once('close', () => {
    const [path = ''] = url.split('?')
    const [, code] = /"code":"(\w+)"/.exec(problem.join('')) ?? []
    const status = response.headersSent && response.statusCode
    const words = [path.slice(0, shownMax), status, code, response.writableFinished ? '' : 'cut']
    const ms = Math.round(performance.now() - startMs)
    log(`${method.padEnd(10)} ${words.filter(Boolean).join(' ')} ${ms} ms`)
  })

  return ({ headers, body }: Reply): void => {
    if (!headers.some(([, value]) => value === 'application/problem+json')) return
    if (body instanceof Readable) body.on('data', (part: Buffer) => problem.push(part))
    else problem.push(body)
  }
}
