import middy from '@middy/core'
import { JwtVerifier } from 'aws-jwt-verify'
import type { APIGatewayProxyEvent as Event, APIGatewayProxyResult as Answer } from 'aws-lambda'

const { ISSUER: issuer = '', AUDIENCE: audience = '', JWKS = '', MAX_WAIT_SECONDS = '28' } = process.env
const verifier = JwtVerifier.create({ issuer, audience, jwksUri: `${issuer}/jwks` })
verifier.cacheJwks(JSON.parse(JWKS))

/** An endpoint for callers with a scope; the signal aborts after the request's `Prefer: wait`. */
export const endpoint = (scope: string, data: (event: Event, signal: AbortSignal) => Promise<object>) =>
  middy<Event, Answer>()
    .use({
      after: ({ event, response }) => log(event, response?.statusCode),
      onError: request => {
        request.response = answerOf(request.error)
        log(request.event, request.response.statusCode, request.error?.message)
      },
    })
    .use({ before: ({ event }) => authorize(event, scope) })
    .handler(async event => {
      const body = JSON.stringify({ data: await data(event, AbortSignal.timeout(waitMs(event))) })
      return { statusCode: 200, headers: { 'Content-Type': 'application/json' }, body }
    })

type Problem = Error & { status: number; title: string }
export const problem = (status: number, title: string) => Object.assign(new Error(title), { status, title })

async function authorize(event: Event, scope: string) {
  const [, token = ''] = /^Bearer (.+)$/i.exec(header(event, 'authorization')) ?? []
  const claims = await verifier.verify(token).catch(() => Promise.reject(problem(401, 'Unauthorized')))
  if (!String(claims.scope).split(' ').includes(scope)) throw problem(403, 'Forbidden')
}

function waitMs(event: Event) {
  const [, seconds = MAX_WAIT_SECONDS] = /\bwait=(\d+(?:\.\d+)?)/i.exec(header(event, 'prefer')) ?? []
  return Math.min(Number(seconds), Number(MAX_WAIT_SECONDS)) * 1000
}

const header = ({ headers }: Event, name: string) =>
  Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1] ?? ''

function answerOf(error: Error | null): Answer {
  const isLate = /^(Abort|Timeout)Error$/.test(error?.name ?? '')
  const { status = isLate ? 503 : 500, title = 'The request failed' }: Partial<Problem> = error ?? {}
  const headers = { 'Content-Type': 'application/problem+json' }
  return { statusCode: status, headers, body: JSON.stringify({ type: 'about:blank', title, status }) }
}

const log = ({ httpMethod, path, requestContext: { requestId } }: Event, status?: number, error?: string) =>
  void process.stdout.write(`${JSON.stringify({ requestId, httpMethod, path, status, error })}\n`)
