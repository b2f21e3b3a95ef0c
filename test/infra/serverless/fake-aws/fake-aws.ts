import { createServer, type IncomingMessage, type OutgoingHttpHeaders, type ServerResponse } from 'node:http'
import { listen } from '../../../../infra/listen.ts'
import { type AwsCall, describeCall } from './aws-call.ts'
import { fakeCloudFormation, refusal, result } from './fake-cloudformation.ts'
import { apiId, bucket, type FakeStack, type Account } from './fake-stack.ts'

export interface FakeAws {
  url: string
  calls: AwsCall[]
  /** The calls that it does not implement. */
  unknown: string[]
  account: Account
  /** The actions of CloudFormation that the caller may not perform. */
  denied: Set<string>
  /** The stacks' resources that were deleted by other calls than CloudFormation's. */
  lost(): string[]
  stop(): void
}

export type Answer = [status: number, body: string, headers?: OutgoingHttpHeaders]

/** Answers a request to a deployed API by its functions, with their environment variables. */
type Gateway = (request: IncomingMessage, variables: Record<string, string>) => Promise<Answer>

/**
 * A fake of the AWS calls of a deployment and its removal. It stores the uploaded objects, creates the named resources of
 * a template, and answers an unknown call with 501.
 *
 * @param dynamodbEndpoint the engine to which it forwards the calls of DynamoDB
 * @param gateway turns it into a fake of LocalStack that also answers `/_localstack/health` and requests to the API
 */
export async function startFakeAws(dynamodbEndpoint: string, gateway?: Gateway): Promise<FakeAws> {
  const account: Account = { logGroups: new Set(), objects: new Map(), dynamodbEndpoint }
  const cloudFormation = fakeCloudFormation(account)
  const calls: AwsCall[] = []
  const unknown: string[] = []
  const denied = new Set<string>()

  const server = createServer(async (request, response) => {
    const body = Buffer.concat(await Array.fromAsync(request as AsyncIterable<Buffer>))
    if (gateway !== undefined && request.url === '/_localstack/health')
      return send(response, [200, '{"services":{}}'])
    const [stack] = cloudFormation.stacks.values()
    if (gateway !== undefined && request.url?.startsWith(`/_aws/execute-api/${apiId}/`))
      return send(response, await gateway(request, stack?.variables ?? {}))
    const call = describeCall(request, body)
    calls.push(call)
    if (call.service === 'dynamodb') return forward(dynamodbEndpoint, request, body, response)
    const answer = await answerTo(call, request, body)
    if (answer === undefined) unknown.push(`${call.service} ${call.action}`)
    send(response, answer ?? [501, ''])
  })
  const port = await listen(server, 0)
  return {
    url: `http://localhost:${port}`,
    calls,
    unknown,
    account,
    denied,
    lost: () => [...cloudFormation.stacks.values()].flatMap(stack => stack.lost()),
    stop: () => {
      server.close()
      server.closeAllConnections()
    },
  }

  async function answerTo(
    call: AwsCall,
    request: IncomingMessage,
    body: Buffer,
  ): Promise<Answer | undefined> {
    const { service, action } = call
    if (service === 'cloudformation' && denied.has(action))
      return refusal(403, 'AccessDenied', `The user is not authorized to perform: cloudformation:${action}`)
    if (service === 'cloudformation') return cloudFormation.answer(action, new URLSearchParams(String(body)))
    if (service === 's3') return s3(request, String(body))
    if (service === 'sts') return [200, result('GetCallerIdentity', caller)]
    if (service === 'apigateway') return apiGateway(action)
    if (service === 'lambda' && action.startsWith('GET /2015-03-31/functions/'))
      return functionOf(action.split('/').at(-1) ?? '')
    if (service === 'logs' && action === 'DeleteLogGroup')
      return account.logGroups.delete(JSON.parse(call.body).logGroupName)
        ? [200, '{}']
        : [400, '{"__type":"ResourceNotFoundException","message":"The specified log group does not exist."}']
    return undefined
  }

  function s3({ method, url = '', headers }: IncomingMessage, body: string): Answer | undefined {
    const { pathname, searchParams } = new URL(url, 'http://s3')
    const [, named = '', ...rest] = decodeURIComponent(pathname).split('/')
    const key = rest.join('/')
    if (named !== bucket) return [404, '<Error><Code>NoSuchBucket</Code></Error>']
    if (key === '' && method === 'HEAD') return [200, '', { 'x-amz-bucket-region': 'eu-central-1' }]
    if (key === '' && method === 'GET') {
      const contents = [...account.objects.keys()].map(each => `<Contents><Key>${each}</Key></Contents>`)
      return [200, `<ListBucketResult>${contents.join('')}</ListBucketResult>`]
    }
    if (key === '' && method === 'POST' && searchParams.has('delete')) {
      for (const [, each = ''] of body.matchAll(/<Key>([^<]+)<\/Key>/g)) account.objects.delete(each)
      return [200, '<DeleteResult></DeleteResult>']
    }
    const metadata = Object.entries(headers).filter(([name]) => name.startsWith('x-amz-meta-'))
    if (method === 'PUT')
      account.objects.set(key, { body, metadata: Object.fromEntries(metadata) as Record<string, string> })
    const found = account.objects.get(key)
    if (method === 'PUT' || (method === 'HEAD' && found !== undefined))
      return [200, '', { etag: '"1"', ...found?.metadata }]
    return undefined
  }

  function apiGateway(action: string): Answer | undefined {
    const stacks = [...cloudFormation.stacks.values()]
    const owner = stacks.find(({ resources }) => resources.has('ApiGatewayRestApi'))
    if (/^GET \/restapis\?/.test(action)) return [200, JSON.stringify({ item: owner ? [api(owner)] : [] })]
    if (/^GET \/restapis\/\w+\/deployments/.test(action)) return [200, '{"item":[{"id":"dep1"}]}']
    if (/^GET \/restapis\/\w+\/stages\//.test(action)) return [200, '{"deploymentId":"dep1"}']
    if (/^PUT \/tags\//.test(action)) return [204, '']
    return undefined
  }

  function functionOf(name: string): Answer {
    const owner = [...cloudFormation.stacks.values()].some(({ resources }) =>
      [...resources.values()].some(({ physicalId }) => physicalId === name),
    )
    if (owner) return [200, '{"Configuration":{"LastModified":"2026-11-21T12:00:00.000+0000"}}']
    return [404, '{"Message":"Function not found"}', { 'x-amzn-errortype': 'ResourceNotFoundException' }]
  }
}

const caller = '<Arn>arn:aws:iam::000000000000:root</Arn><Account>000000000000</Account>'

const api = ({ name }: FakeStack) => ({ id: apiId, name: name.replace(/^(.*)-([^-]+)$/, '$2-$1') })

async function forward(
  endpoint: string,
  { headers }: IncomingMessage,
  body: Buffer,
  response: ServerResponse,
) {
  const own = Object.entries(headers).filter(([name]) => /^(x-amz-|authorization|content-type)/.test(name))
  const answered = await fetch(endpoint, {
    method: 'POST',
    headers: Object.fromEntries(own) as Record<string, string>,
    body: new Uint8Array(body),
  })
  send(response, [answered.status, await answered.text()])
}

function send(response: ServerResponse, [status, body, headers = {}]: Answer): void {
  const type = body.startsWith('{') ? 'application/json' : 'text/xml'
  response.writeHead(status, { 'content-type': type, ...headers })
  response.end(body)
}
