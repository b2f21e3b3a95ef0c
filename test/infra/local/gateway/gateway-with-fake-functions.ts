import type { APIGatewayProxyEvent } from 'aws-lambda'
import { type IncomingMessage, request } from 'node:http'
import { connect } from 'node:net'
import { setImmediate } from 'node:timers/promises'
import { afterAll, beforeAll, beforeEach, expect } from 'vitest'
import { type Gateway, startGateway } from '../../../../infra/local/gateway/gateway.ts'
import { openIssuer } from '../../../../infra/local/issuer.ts'
import type { FunctionAnswer } from '../../../../infra/local/functions/functions.ts'
import { routes } from '../../../../infra/serverless/service-definition.ts'
import { localSettings } from '../../../../infra/serverless/settings.ts'
import { assertDocumented } from '../../../openapi/validate.ts'

/** The gateway with fake functions that record their events and return the answer that the test sets. */
export function gatewayWithFakeFunctions() {
  const fake = {
    events: [] as APIGatewayProxyEvent[],
    lines: [] as string[],
    /** The line of the last request, which is logged when the connection has taken the answer. */
    async requestLine(): Promise<string> {
      for (;;) {
        const line = fake.lines.find(text => /^[A-Z]/.test(text))
        if (line !== undefined) return line
        await setImmediate()
      }
    },
    answer: async (): Promise<FunctionAnswer> => ({ statusCode: 200, body: '' }),
    /** Sets the value that the function returns. */
    returns(value: unknown) {
      fake.answer = async () => value as FunctionAnswer
    },
  }
  let gateway: Gateway
  const port = () => Number(new URL(gateway.url).port)

  beforeAll(async () => {
    const { deprecation } = await localSettings({
      issuers: (await openIssuer()).trust,
      tableName: 'some-table',
    })
    gateway = await startGateway({
      port: 0,
      routes,
      deprecation,
      ready: async () => (_, event) => {
        fake.events.push(event)
        return fake.answer()
      },
      log: line => {
        fake.lines.push(line)
        process.stdout.write('') // as the stack prints it
      },
    })
  })
  afterAll(() => gateway.stop())
  beforeEach(() => {
    fake.events = []
    fake.lines = []
    fake.returns({ statusCode: 200, headers: {}, body: '{"data":{}}' })
  })

  return {
    fake,
    port,

    async send(method: string, path: string, headers: string[] = [], body = '') {
      const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
      const outgoing = request({
        port: port(),
        method,
        path,
        headers: ['Host', 'api.example.com', ...headers],
      })
      outgoing.on('response', resolve).on('error', reject).end(body)
      const response = await promise
      const chunks: Buffer[] = []
      for await (const chunk of response) chunks.push(chunk)
      const bytes = Buffer.concat(chunks)
      const { statusCode: status, headers: received, rawHeaders: raw } = response
      return { status, headers: received, text: bytes.toString(), bytes, raw }
    },

    /** Sends bytes and returns all that is received until the connection closes. */
    async sendRaw(text: string): Promise<string> {
      const socket = connect(port(), '127.0.0.1')
      socket.write(text, 'latin1')
      let received = ''
      for await (const chunk of socket) received += chunk
      return received
    },
  }
}

type Received = Awaited<ReturnType<ReturnType<typeof gatewayWithFakeFunctions>['send']>>

/** Expects a problem as infra/openapi.yml describes it for a call of the endpoints, or for another path. */
export function expectProblem({ headers, text, status }: Received, code: string, expectedStatus: number) {
  const path = code === 'route_not_found' ? '/' : '/api/v2/saml'
  assertDocumented('GET', path, { status, headers, body: text })
  expect([status, JSON.parse(text).code]).toEqual([expectedStatus, code])
}
