import { randomUUID } from 'node:crypto'
import type { localSettings } from '../serverless/settings.ts'
import { gatewayResponses } from '../serverless/service-definition.ts'

interface GatewayAnswer {
  status: number
  headers: Record<string, string>
  body: string
}

export type RenderAnswer = (responseType: string) => GatewayAnswer

type Settings = Awaited<ReturnType<typeof localSettings>>

/** The answers of infra/resources/gateway-responses.yml, rendered as API Gateway renders them. */
export function gatewayAnswers(settings: Settings): RenderAnswer {
  const byType = new Map(gatewayResponses.map(response => [response.ResponseType, response]))

  return responseType => {
    const response = byType.get(responseType)
    if (response === undefined)
      throw new Error(`infra/resources/gateway-responses.yml has no ${responseType}`)
    const requestId = randomUUID()
    const [, setting] = response.ResponseParameters.split(/:|}/) as [string, keyof Settings]
    const headers = Object.entries(settings[setting]).map(([name, value]) => [
      name.replace('gatewayresponse.header.', ''),
      String(value)
        .replace(/^'(.*)'$/, '$1')
        .replace('context.requestId', requestId),
    ])
    return {
      status: Number(response.StatusCode),
      headers: Object.fromEntries(headers),
      body: response.ResponseTemplates['application/json'].replace('$context.requestId', requestId),
    }
  }
}
