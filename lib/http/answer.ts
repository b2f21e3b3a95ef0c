import type { Config } from '../config.ts'
import { asFailure } from '../domain/failure.ts'
import type { SamlProvider } from '../domain/resources.ts'
import { commonHeaders } from './common-headers.ts'
import { deprecationHeaders } from './deprecation.ts'
import { chooseCoding, encodeBody } from './encoding.ts'
import { dataPieces } from './envelope.ts'
import { problem } from './problem.ts'
import { type ApiAnswer, type ApiRequest, headerLines, type Step } from './request.ts'
import type { Budget } from './wait-budget.ts'

/** What the steps may have added by the time the answer is written. */
type Known = ApiRequest & { budget?: Budget; provider?: { resource: SamlProvider } }

/** What the handler returns → the `data` envelope; whatever was thrown → problem details; on both the common headers. */
export function answer({ config }: { config: Config }): Step {
  const send = (event: Known, { statusCode, headers, ...content }: Content): ApiAnswer => ({
    statusCode,
    headers: { ...headersFor(event, config), ...headers },
    ...content,
  })
  return {
    after: async request => {
      const coding = chooseCoding(headerLines(request.event, 'accept-encoding'), config.contentCodings)
      const { headers, ...content } = await encodeBody(dataPieces(request.response), coding)
      const headed = { 'Content-Type': 'application/json', ...headers }
      request.response = send(request.event, { statusCode: 200, headers: headed, ...content })
    },
    onError: request => {
      const { event, error } = request
      const { requestId } = event.requestContext
      request.response = send(event, problem(asFailure(error), requestId, config.realm))
    },
  }
}

interface Content {
  statusCode: number
  headers: Record<string, string>
  body: string
  isBase64Encoded?: boolean
}

const headersFor = ({ requestContext, budget, provider }: Known, { deprecation }: Config) => ({
  ...commonHeaders,
  'X-Request-Id': requestContext.requestId,
  ...deprecationHeaders(deprecation, provider?.resource),
  ...(budget?.waitMs !== undefined && { 'Preference-Applied': `wait=${budget.waitMs / 1000}` }),
})
