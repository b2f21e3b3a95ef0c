import { commonHeaders } from '../../../lib/http/common-headers.ts'
import { gatewayResponses } from '../../serverless/service-definition.ts'
import type { localSettings } from '../../serverless/settings.ts'
import type { Reply } from './reply.ts'

/**
 * Returns the gateway's answer for a response type, such as `THROTTLED`.
 *
 * @param requestId the id of the request
 */
export type GatewayAnswers = (responseType: string, requestId: string) => Reply

type Settings = Awaited<ReturnType<typeof localSettings>>
type HeaderSetting = 'routeHeaders' | 'endpointHeaders' | 'endpointHeadersWithRetry'

/** The answers of infra/resources/gateway-responses.yml, with their variables replaced. */
export function gatewayAnswers(settings: Settings): GatewayAnswers {
  const byType = new Map(gatewayResponses.map(response => [response.ResponseType, response]))

  return (responseType, requestId) => {
    const response = byType.get(responseType)
    if (response === undefined)
      throw new Error(`infra/resources/gateway-responses.yml has no ${responseType}`)
    const [, setting] = response.ResponseParameters.split(/:|}/) as [string, HeaderSetting]
    return {
      status: Number(response.StatusCode),
      headers: Object.entries(settings[setting]).map(([name, value]) => [
        name.replace('gatewayresponse.header.', ''),
        value.replace(/^'(.*)'$/, '$1').replace('context.requestId', requestId),
      ]),
      body: response.ResponseTemplates['application/json'].replace('$context.requestId', requestId),
    }
  }
}

/**
 * The answer to a request that is not well-formed HTTP/1.1. On AWS the servers in front of API Gateway answer it, without
 * headers of the API.
 */
export function malformedRequest(requestId: string): Reply {
  const problem = {
    type: 'about:blank',
    title: 'Bad Request',
    status: 400,
    detail: 'This is not a well-formed HTTP/1.1 request.',
    code: 'request_malformed',
    request_id: requestId,
  }
  const headers = {
    'Content-Type': 'application/problem+json',
    ...commonHeaders,
    'X-Request-Id': requestId,
  }
  return { status: problem.status, headers: Object.entries(headers), body: JSON.stringify(problem) }
}
