import type { IncomingMessage, ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { decodeJwt } from 'jose'
import type { Asked } from './asked.ts'
import type { Reply } from './reply.ts'

const shownMax = 200

/**
 * Logs one line when the answer to a request has ended, such as
 * `DELETE /api/v2/saml/providers/7 404 12 ms provider_not_found 5a3d1c9e-7b42-4f06-9d18-c0ffee000001`: the last word is the
 * subject of the token. `cut` stands for an answer that broke off, without a status when it had not begun.
 *
 * @returns a function that takes the answer: the code of a problem is read from its body
 */
export function logAnswer(
  { method, target }: Asked,
  { headers }: IncomingMessage,
  response: ServerResponse,
  log: (line: string) => void,
) {
  const startMs = performance.now()
  const problem: (string | Buffer)[] = []
  response.once('close', () => {
    const [path = ''] = target.split('?')
    const [, code] = /"code":"(\w+)"/.exec(problem.join('')) ?? []
    const status = response.headersSent && response.statusCode
    const time = `${Math.round(performance.now() - startMs)} ms`
    const cut = response.writableFinished ? '' : 'cut'
    const words = [path.slice(0, shownMax), status, cut, time, code, subjectOf(headers.authorization)]
    log(`${method.padEnd(6)} ${words.filter(Boolean).join(' ')}`)
  })

  return ({ headers: sent, body }: Reply): void => {
    if (!sent.some(([, value]) => value === 'application/problem+json')) return
    if (body instanceof Readable) body.on('data', (part: Buffer) => problem.push(part))
    else problem.push(body)
  }
}

/** The subject of a token, which nobody has verified; undefined when it cannot be read or shown. */
function subjectOf(authorization = ''): string | undefined {
  try {
    const { sub = '' } = decodeJwt(authorization.replace(/^bearer +/i, ''))
    return /^[!-~]{1,64}$/.test(sub) ? sub : undefined
  } catch {
    return undefined
  }
}
