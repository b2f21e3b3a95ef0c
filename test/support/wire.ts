import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'

/** A reply as received from the network. */
export interface RawReply {
  statusCode: number
  headers: Record<string, string>
  body: Buffer
}

/**
 * Changes the raw replies to a client's calls, before the SDK and the product read them.
 *
 * @param change gets each reply, and the name of its operation, such as GetItem
 */
export function tapWire(
  client: DynamoDBDocumentClient,
  change: (reply: RawReply, operation: string) => RawReply,
) {
  client.middlewareStack.add(
    next => async args => {
      const { headers } = args.request as { headers: Record<string, string> }
      const operation = String(headers['x-amz-target']).replace(/^.*\./, '')
      const result = await next(args)
      const response = result.response as Omit<RawReply, 'body'> & { body: unknown }
      const body =
        response.body instanceof Uint8Array
          ? Buffer.from(response.body)
          : Buffer.from(await client.config.streamCollector(response.body))
      const changed = change({ statusCode: response.statusCode, headers: response.headers, body }, operation)
      Object.assign(response, changed)
      return result
    },
    { step: 'deserialize', priority: 'low', name: 'tapWire' },
  )
}

const replacedBy =
  (text: string, statusCode?: number) =>
  (reply: RawReply): RawReply => ({
    statusCode: statusCode ?? reply.statusCode,
    headers: reply.headers,
    body: Buffer.from(text),
  })
const html = '<html><body><h1>503 Service Unavailable</h1></body></html>'

/** The ways in which a faulty network or proxy changes a reply. */
export const brokenReplies: Record<string, (reply: RawReply) => RawReply> = {
  'loses its body': reply => ({ ...reply, body: Buffer.alloc(0) }),
  'loses its second half': reply => ({ ...reply, body: reply.body.subarray(0, reply.body.length >> 1) }),
  'is an HTML page with status 200': replacedBy(html, 200),
  'is an HTML page with status 503': replacedBy(html, 503),
  'is `{}`': replacedBy('{}', 200),
  'is `null`': replacedBy('null', 200),
}
