import { createServer } from 'node:http'
import { text } from 'node:stream/consumers'
import { onTestFinished, vi } from 'vitest'
import { listen } from '../../../infra/listen.ts'

type Answer = [status: number, body: string]

/** An answer of CloudFormation. */
export const result = (action: string, inner = ''): Answer => [
  200,
  `<${action}Response><${action}Result>${inner}</${action}Result></${action}Response>`,
]
export const refusal = (code: string, message: string): Answer => [
  400,
  `<ErrorResponse><Error><Code>${code}</Code><Message>${message}</Message></Error></ErrorResponse>`,
]
const element = (name: string, value: string) => `<${name}>${value}</${name}>`
const members = (list: string, all: Record<string, string>[]) =>
  element(
    list,
    all
      .map(one =>
        element(
          'member',
          Object.entries(one)
            .map(pair => element(...pair))
            .join(''),
        ),
      )
      .join(''),
  )

export const stackIn = (StackStatus: string, more: Record<string, string> = {}) =>
  result('DescribeStacks', members('Stacks', [{ StackId: 'arn:stack', StackStatus, ...more }]))
export const resources = (all: Record<string, string>[]) =>
  result('ListStackResources', members('StackResourceSummaries', all))
export const outputs = (OutputKey: string, OutputValue: string) => ({
  Outputs: element('member', element('OutputKey', OutputKey) + element('OutputValue', OutputValue)),
})

/**
 * Starts an AWS that gives each action its answers in order, the last one again and again, and makes it that of
 * AWS_ENDPOINT_URL. An action is CloudFormation's or DynamoDB's, or the method and path of S3.
 *
 * @returns the received actions
 */
export async function cannedAws(answers: Record<string, Answer[]>): Promise<string[]> {
  const received: string[] = []
  const server = createServer(async (request, response) => {
    const body = await text(request)
    const target = String(request.headers['x-amz-target'] ?? '').split('.')[1]
    const path = `${request.method} ${request.url?.replace(/\/?([?].*)?$/, '')}`
    const action = new URLSearchParams(body).get('Action') ?? target ?? path
    received.push(action)
    const [answer = [501, action], ...later] = answers[action] ?? []
    if (later.length > 0) answers[action] = later
    response.writeHead(answer[0]).end(answer[1])
  })
  vi.stubEnv('AWS_ENDPOINT_URL', `http://127.0.0.1:${await listen(server, 0)}`)
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'key')
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'secret')
  onTestFinished(() => {
    vi.unstubAllEnvs()
    server.close().closeAllConnections()
  })
  return received
}
