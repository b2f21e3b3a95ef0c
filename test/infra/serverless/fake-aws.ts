import { createServer, type IncomingMessage, type OutgoingHttpHeaders, type ServerResponse } from 'node:http'
import { listen } from '../../../infra/local/listen.ts'

interface Call {
  /** As the request is signed for, e.g. `s3`. */
  service: string
  /** What is asked for: the action, or method and path. */
  action: string
  host: string
  accessKey: string
  body: string
}

export interface FakeAws {
  url: string
  calls: Call[]
  stop(): void
}

const stackId = 'arn:aws:cloudformation:eu-central-1:000000000000:stack/fake/1'
const bucket = 'deployment-bucket'
const apiId = 'abc123'

/**
 * As much of AWS as a deployment needs: it answers that all went well, and records what it was asked.
 *
 * DynamoDB's calls go on to an engine.
 */
export async function startFakeAws(dynamodbEndpoint: string, tableName: string): Promise<FakeAws> {
  const calls: Call[] = []
  let stack = 'none'
  const server = createServer(async (request, response) => {
    const body = Buffer.concat(await Array.fromAsync(request as AsyncIterable<Buffer>))
    const call = describeCall(request, body)
    calls.push(call)
    if (call.service === 'cloudformation') return answer(response, ...cloudFormation(call))
    if (call.service === 's3') return answer(response, ...s3(request))
    if (call.service === 'dynamodb') return forward(request, body, response)
    if (call.service === 'sts') return answer(response, 200, result('GetCallerIdentity', sts))
    if (call.service === 'apigateway') return answer(response, ...apiGateway(call))
    answer(response, 404, '')
  })
  const port = await listen(server, 0)
  return {
    url: `http://localhost:${port}`,
    calls,
    stop: () => {
      server.close()
      server.closeAllConnections()
    },
  }

  function cloudFormation({ action, body }: Call): [number, string] {
    const done = (inner = '') => [200, result(action, inner)] as [number, string]
    if (action === 'DescribeStacks' && stack === 'none')
      return [
        400,
        '<ErrorResponse><Error><Code>ValidationError</Code><Message>Stack does not exist</Message></Error></ErrorResponse>',
      ]
    if (action === 'DescribeStacks')
      return done(
        `<Stacks>${member(`<StackId>${stackId}</StackId><StackName>fake</StackName><StackStatus>${stack}_COMPLETE</StackStatus><Outputs>${outputs()}</Outputs>`)}</Stacks>`,
      )
    if (action === 'ExecuteChangeSet') stack = stack === 'none' ? 'CREATE' : 'UPDATE'
    if (action === 'CreateChangeSet') return done(`<Id>change</Id><StackId>${stackId}</StackId>`)
    if (action === 'DescribeChangeSet')
      return done(`<StackId>${stackId}</StackId><Status>CREATE_COMPLETE</Status>`)
    if (action === 'DescribeStackEvents')
      return done(`<StackEvents>${event('COMPLETE')}${event('IN_PROGRESS')}</StackEvents>`)
    if (action === 'DescribeStackResource') {
      const bucketAsked = body.includes('ServerlessDeploymentBucket')
      return done(
        `<StackResourceDetail><PhysicalResourceId>${bucketAsked ? bucket : apiId}</PhysicalResourceId></StackResourceDetail>`,
      )
    }
    return done()
  }

  function event(status: string): string {
    return member(
      `<StackId>${stackId}</StackId><EventId>${stack}${status}</EventId><StackName>fake</StackName><LogicalResourceId>fake</LogicalResourceId><ResourceType>AWS::CloudFormation::Stack</ResourceType><ResourceStatus>${stack}_${status}</ResourceStatus>`,
    )
  }

  function outputs(): string {
    const url = `https://${apiId}.execute-api.eu-central-1.amazonaws.com/dev/api/v2/saml`
    return Object.entries({ ListUrl: url, DeleteUrl: `${url}/providers/`, TableName: tableName })
      .map(([key, value]) => member(`<OutputKey>${key}</OutputKey><OutputValue>${value}</OutputValue>`))
      .join('')
  }

  function s3({ method }: IncomingMessage): [number, string, OutgoingHttpHeaders] {
    const list = method === 'GET' ? '<ListBucketResult><KeyCount>0</KeyCount></ListBucketResult>' : ''
    return [200, list, { etag: '"1"', 'x-amz-bucket-region': 'eu-central-1' }]
  }

  async function forward({ headers }: IncomingMessage, body: Buffer, response: ServerResponse) {
    const own = Object.entries(headers).filter(([name]) => /^(x-amz-|authorization|content-type)/.test(name))
    const answered = await fetch(dynamodbEndpoint, {
      method: 'POST',
      headers: Object.fromEntries(own) as Record<string, string>,
      body: new Uint8Array(body),
    })
    answer(response, answered.status, await answered.text())
  }
}

function apiGateway({ action }: Call): [number, string] {
  if (/^GET \/restapis\/\w+\/deployments/.test(action)) return [200, '{"item":[{"id":"dep1"}]}']
  if (/^GET \/restapis(\?|$)/.test(action))
    return [200, JSON.stringify({ item: [{ id: apiId, name: 'dev-deprecated-saml-endpoints' }] })]
  return [200, '{}']
}

const sts = '<Arn>arn:aws:iam::000000000000:root</Arn><UserId>u</UserId><Account>000000000000</Account>'
const member = (inner: string) => `<member>${inner}</member>`
const result = (action: string, inner: string) =>
  `<${action}Response><${action}Result>${inner}</${action}Result></${action}Response>`

function describeCall({ method, url, headers }: IncomingMessage, body: Buffer): Call {
  const [, accessKey = '', service = ''] =
    /Credential=([^/]+)\/\d+\/[^/]+\/([^/]+)\//.exec(headers.authorization ?? '') ?? []
  const text = body.length < 100_000 ? body.toString() : ''
  const action = new URLSearchParams(text).get('Action') ?? headers['x-amz-target'] ?? `${method} ${url}`
  return { service, action: String(action), host: headers.host ?? '', accessKey, body: text }
}

function answer(
  response: ServerResponse,
  status: number,
  body: string,
  headers: OutgoingHttpHeaders = {},
): void {
  response.writeHead(status, {
    'content-type': body.startsWith('{') ? 'application/json' : 'text/xml',
    ...headers,
  })
  response.end(body)
}
