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
