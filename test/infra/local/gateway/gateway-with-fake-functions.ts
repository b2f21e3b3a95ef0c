import type { APIGatewayProxyEvent } from 'aws-lambda'
import { type IncomingMessage, request } from 'node:http'
import { connect } from 'node:net'
import { afterAll, beforeAll, beforeEach, expect } from 'vitest'
import { type Gateway, startGateway } from '../../../../infra/local/gateway/gateway.ts'
import { gatewayAnswers } from '../../../../infra/local/gateway/gateway-answers.ts'
import { openIssuer } from '../../../../infra/local/issuer.ts'
import type { FunctionAnswer } from '../../../../infra/local/lambda/receive-answer.ts'
import { type Route, routes } from '../../../../infra/serverless/service-definition.ts'
import { localSettings } from '../../../../infra/serverless/settings.ts'

/** A path that streams, which the service itself does not have. */
const streamed: Route = {
  ...{ method: 'get', path: 'streamed', isStreamed: true },
  ...{ handler: '', functionName: '', memoryMb: 0, timeoutMs: undefined },
}

/** A gateway in front of functions that keep the events they get, and answer what the test says. */
export function gatewayWithFakeFunctions() {
  const fake = {
    events: [] as APIGatewayProxyEvent[],
    reports: [] as string[],
    answer: async (): Promise<FunctionAnswer> => ({ json: '' }),
    /** What the function returns. */
    returns(value: unknown) {
      fake.answer = async () => ({ json: JSON.stringify(value) })
    },
  }
  let gateway: Gateway
  const port = () => Number(new URL(gateway.url).port)

  beforeAll(async () => {
    const settings = await localSettings({ issuers: (await openIssuer()).trust, tableName: 'some-table' })
    gateway = await startGateway({
      port: 0,
      routes: [...routes.map(route => ({ ...route, isStreamed: false })), streamed],
      answers: gatewayAnswers(settings),
      invoke: (_, event) => {
        fake.events.push(event)
        return fake.answer()
      },
      report: reason => fake.reports.push(reason),
    })
  })
  afterAll(() => gateway.stop())
  beforeEach(() => {
    fake.events = []
    fake.reports = []
    fake.returns({ statusCode: 200, headers: {}, body: '{"data":{}}' })
  })

  return {
    fake,
    port,

    async ask(method: string, path: string, headers: string[] = [], body = '') {
      const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
      const sent = request({ port: port(), method, path, headers: ['Host', 'api.example.com', ...headers] })
      sent.on('response', resolve).on('error', reject).end(body)
      const response = await promise
      const chunks: Buffer[] = []
      for await (const chunk of response) chunks.push(chunk)
      const bytes = Buffer.concat(chunks)
      const { statusCode: status, headers: received, rawHeaders: raw } = response
      return { status, headers: received, text: bytes.toString(), bytes, raw }
    },

    /** Everything that comes back until the connection closes. */
    async askRaw(text: string): Promise<string> {
      const socket = connect(port(), '127.0.0.1')
      socket.write(text, 'latin1')
      let answered = ''
      for await (const chunk of socket) answered += chunk
      return answered
    },
  }
}

type Got = Awaited<ReturnType<ReturnType<typeof gatewayWithFakeFunctions>['ask']>>

/** The shape and the headers of every error of the service. */
export function expectProblem({ headers, text, status }: Got, code: string, wanted: number) {
  const problem = JSON.parse(text)
  expect(Object.keys(problem)).toEqual(['type', 'title', 'status', 'detail', 'code', 'request_id'])
  expect(problem).toMatchObject({ type: 'about:blank', status: wanted, code })
  expect(status).toBe(wanted)
  expect(headers).toMatchObject({
    'content-type': 'application/problem+json',
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    'strict-transport-security': expect.stringContaining('max-age='),
    vary: 'Prefer, Accept-Encoding',
    'x-request-id': problem.request_id,
  })
  // Another path is not deprecated in favour of anything.
  expect([headers.deprecation, headers.link]).toEqual(
    code === 'route_not_found'
      ? [undefined, undefined]
      : ['@1735689600', '</api/v2/sso-providers>; rel="successor-version"'],
  )
}
