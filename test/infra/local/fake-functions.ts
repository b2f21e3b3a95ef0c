import { createServer, type IncomingMessage, request } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { afterAll, beforeAll, beforeEach, expect } from 'vitest'
import { type Gateway, startGateway } from '../../../infra/local/gateway.ts'
import { gatewayAnswers } from '../../../infra/local/gateway-answers.ts'
import { openIssuer } from '../../../infra/local/issuer.ts'
import { routes } from '../../../infra/serverless/service-definition.ts'
import { localSettings } from '../../../infra/serverless/settings.ts'

/** A gateway in front of functions that keep what they are sent and answer what the test says. */
export function gatewayBeforeFakeFunctions() {
  const fake = {
    received: [] as IncomingMessage[],
    answer: { status: 200, headers: [] as string[], body: '' },
  }
  const functions = createServer((incoming, response) => {
    fake.received.push(incoming)
    incoming.resume()
    response.writeHead(fake.answer.status, fake.answer.headers).end(fake.answer.body)
  })
  let gateway: Gateway
  const port = () => Number(new URL(gateway.url).port)

  beforeAll(async () => {
    await new Promise<void>(resolve => functions.listen(0, '127.0.0.1', resolve))
    const settings = await localSettings((await openIssuer()).trust, 'some-table')
    gateway = await startGateway(0, routes, gatewayAnswers(settings))
    gateway.forwardTo((functions.address() as AddressInfo).port)
  })
  afterAll(async () => {
    await gateway.stop()
    functions.close()
  })
  beforeEach(() => {
    fake.received = []
    fake.answer = { status: 200, headers: ['X-Request-Id', 'r1'], body: '{"data":{}}' }
  })

  return {
    fake,

    async ask(method: string, path: string, headers: string[] = [], body = '') {
      const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
      const sent = request({ port: port(), method, path, headers: ['Host', 'api.example.com', ...headers] })
      sent.on('response', resolve).on('error', reject).end(body)
      const response = await promise
      let text = ''
      for await (const chunk of response) text += chunk
      return { status: response.statusCode, headers: response.headers, text, raw: response.rawHeaders }
    },

    /** Everything that comes back until the connection closes. */
    async askRaw(text: string): Promise<string> {
      const socket = connect(port(), '127.0.0.1')
      socket.write(text)
      let answered = ''
      for await (const chunk of socket) answered += chunk
      return answered
    },
  }
}

type Got = Awaited<ReturnType<ReturnType<typeof gatewayBeforeFakeFunctions>['ask']>>

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
    deprecation: '@1735689600',
    link: '</api/v2/sso-providers>; rel="successor-version"',
  })
}
