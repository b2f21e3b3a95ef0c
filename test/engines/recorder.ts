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
    const [, region, service] =
      /Credential=[^/]+\/\d+\/([\w-]+)\/(\w+)\//.exec(headers.authorization ?? '') ?? []
    const target = String(headers['x-amz-target'] ?? '').replace(/.*\./, '')
    if (service !== undefined) {
      const sent = { method, url, target, text: body.toString('latin1') }
      const [action, resource] = readers[service]?.(sent) ?? [`unknown ${url}`, '']
      const full =
        service === 's3' || resource === '*' ? resource : `arn:aws:${service}:${region}:${resource}`
      calls.push({ action: `${service}:${action}`, resource: full })
    }
    const forwarded = request(new URL(url, endpoint), { method, headers }, answer => {
      response.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(response)
    })
    forwarded.on('error', () => response.destroy())
    forwarded.end(body)
  })
  const close = () => {
    server.close()
    server.closeAllConnections()
  }
  return { url: `http://127.0.0.1:${await listen(server, 0)}`, calls, close }
}

interface Sent {
  method: string
  url: string
  /** The name of the call, in the protocols that have it in a header. */
  target: string
  text: string
}

const account = '000000000000'
const pathOf = ({ url }: Sent) => decodeURIComponent(url.replace(/\?.*|\/$/, ''))

/** The name of a call, and the resource without the beginning of its ARN, by the service that the signature names. */
const readers: Record<string, (sent: Sent) => [action: string, resource: string]> = {
  apigateway: sent => [sent.method, `:${pathOf(sent)}`],
  cloudformation: ({ text }) => {
    const form = new URLSearchParams(text)
    const stack = form.get('StackName')?.replace(/^.*:stack\/([^/]+).*/, '$1')
    return [String(form.get('Action')), stack === undefined ? '*' : `${account}:stack/${stack}/id`]
  },
  dynamodb: ({ target, text }) => [target, `${account}:table/${JSON.parse(text).TableName}`],
  events: ({ target, text }) => [target, `${account}:rule/${JSON.parse(text).Rule}`],
  lambda: sent => {
    const [, name] = /^GET \/[\d-]+\/functions\/([^/]+)$/.exec(`${sent.method} ${pathOf(sent)}`) ?? []
    return [name === undefined ? sent.url : 'GetFunction', `${account}:function:${name}`]
  },
  logs: ({ target, text }) =>
    // To describe log groups, a policy must allow it for all of them.
    [target, target === 'DescribeLogGroups' ? '*' : `${account}:log-group:${JSON.parse(text).logGroupName}`],
  s3: sent => {
    const action = s3Actions.find(([pattern]) => pattern.test(`${sent.method} ${sent.url}`))?.[1]
    return [action ?? sent.url, `arn:aws:s3:::${pathOf(sent).slice(1)}`]
  },
  sts: ({ text }) => [String(new URLSearchParams(text).get('Action')), '*'],
}

/** The IAM actions of S3's calls, by method and URL; the first that fits. */
const s3Actions: [RegExp, action: string][] = [
  [/^GET .*[?&]versions/, 'ListBucketVersions'],
  [/^(GET .*[?&]list-type|HEAD \/[^/]+\/?$)/, 'ListBucket'],
  [/^(GET|HEAD) /, 'GetObject'],
  [/^PUT /, 'PutObject'],
  [/^DELETE /, 'DeleteObject'],
  [/^POST .*[?&]delete/, 'DeleteObjectVersion'],
]
