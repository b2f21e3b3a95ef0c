import { createServer, request } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { listen } from '../../infra/listen.ts'
import type { Call } from '../support/deployer-policy.ts'

/** A server between commands and an emulator. It records the calls that are signed, until it is closed. */
export async function record(endpoint: string) {
  const calls: Call[] = []
  const server = createServer(async (incoming, response) => {
    const body = await buffer(incoming)
    const { method = '', url = '', headers } = incoming
    const [, region = '', service] =
      /Credential=[^/]+\/\d+\/([\w-]+)\/(\w+)\//.exec(headers.authorization ?? '') ?? []
    const target = String(headers['x-amz-target'] ?? '')
      .split('.')
      .at(-1)
    if (service !== undefined) calls.push(callOf({ service, region, method, url, target, body }))
    const forwarded = request(new URL(url, endpoint), { method, headers }, answer => {
      response.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(response)
    })
    forwarded.on('error', () => response.destroy())
    forwarded.end(body)
  })
  const url = `http://127.0.0.1:${await listen(server, 0)}`
  const close = () => {
    server.close()
    server.closeAllConnections()
  }
  return { url, calls, close }
}

interface Sent {
  service: string
  region: string
  method: string
  url: string
  /** The name of the call, in the protocols that have it in a header. */
  target: string | undefined
  body: Buffer
}

/** The IAM actions of S3's calls, by method and URL; the first that fits. */
const s3Actions: [RegExp, action: string][] = [
  [/^GET .*[?&]versions/, 'ListBucketVersions'],
  [/^GET .*[?&]list-type/, 'ListBucket'],
  [/^HEAD \/[^/?]+\/?$/, 'ListBucket'],
  [/^(GET|HEAD) \/[^/]+\/./, 'GetObject'],
  [/^PUT \/[^/]+\/./, 'PutObject'],
  [/^DELETE \/[^/]+\/./, 'DeleteObject'],
  [/^POST .*[?&]delete/, 'DeleteObjectVersion'],
]

/** A call that nothing here knows has an action that no policy allows. */
function callOf({ service, region, method, url, target, body }: Sent): Call {
  const path = decodeURIComponent(url.split('?', 1)[0] ?? '')
  const arn = (name: string) => `arn:aws:${service}:${region}:000000000000:${name}`
  const form = new URLSearchParams(target === '' ? body.toString() : '')
  const { TableName, Rule, logGroupName } = target === '' ? {} : JSON.parse(body.toString())
  const stack = form.get('StackName')
  switch (service) {
    case 'apigateway':
      return { action: `apigateway:${method}`, resource: `arn:aws:apigateway:${region}::${path}` }
    case 's3': {
      const action = s3Actions.find(([pattern]) => pattern.test(`${method} ${url}`))?.[1]
      return { action: `s3:${action ?? url}`, resource: `arn:aws:s3:::${path.slice(1).replace(/\/$/, '')}` }
    }
    case 'lambda': {
      const [, name = ''] = /^GET \/[\d-]+\/functions\/([^/]+)$/.exec(`${method} ${path}`) ?? []
      return { action: `lambda:${name === '' ? url : 'GetFunction'}`, resource: arn(`function:${name}`) }
    }
    case 'cloudformation': {
      const resource = stack?.startsWith('arn:') ? stack : arn(`stack/${stack}/id`)
      return { action: `cloudformation:${form.get('Action')}`, resource: stack === null ? '*' : resource }
    }
    case 'dynamodb':
      return { action: `dynamodb:${target}`, resource: arn(`table/${TableName}`) }
    case 'events':
      return { action: `events:${target}`, resource: arn(`rule/${Rule}`) }
    case 'logs':
      // To describe log groups, a policy must allow it for all of them.
      return {
        action: `logs:${target}`,
        resource: target === 'DescribeLogGroups' ? '*' : arn(`log-group:${logGroupName}`),
      }
    default:
      return { action: `${service}:${form.get('Action') ?? target}`, resource: '*' }
  }
}
