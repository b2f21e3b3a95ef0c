import type { AttributeValue } from '@aws-sdk/client-dynamodb'
import type { DynamoDBDocumentClient, TransactWriteCommand } from '@aws-sdk/lib-dynamodb'
import { unmarshall } from '@aws-sdk/util-dynamodb'
import { collectBody, HttpResponse } from '@smithy/core/protocols'
import { exactNumber } from './client.ts'
import type { Item } from './items.ts'

/** What a removal has to know of a membership, or of a user. */
const kept = ['expires_at', 'saml_provider_id', 'sso_provider_id']

/** Why an action of a cancelled transaction was refused, as DynamoDB replies it. */
interface Reason {
  Item?: Record<string, AttributeValue>
}

/**
 * Takes the items out of each reply to a transaction before the SDK reads it. They are personal data, and an error of the SDK
 * keeps all that was read, and the reply. And the SDK cannot read an error that contains a member `__proto__`.
 *
 * @returns a function that gives what is kept of the items in the last reply, in the order of the actions
 */
export function takeItems(
  { config }: DynamoDBDocumentClient,
  { middlewareStack }: TransactWriteCommand,
): () => (Item | undefined)[] {
  let items: (Item | undefined)[] = []
  middlewareStack.add(
    next => async args => {
      const result = await next(args)
      const { response } = result
      if (!HttpResponse.isInstance(response)) return result
      response.body = await collectBody(response.body, config)
      const reply = parsed(response.body)
      if (reply?.CancellationReasons === undefined) return result
      items = reply.CancellationReasons.map(takeItem)
      response.body = new TextEncoder().encode(JSON.stringify(reply))
      return result
    },
    // Before the SDK's own, which reads the reply. The document client adds it twice.
    { step: 'deserialize', priority: 'low', name: 'takeItems', override: true },
  )
  return () => items
}

/** Undefined when it is no JSON, of which the SDK will say so. */
function parsed(body: Uint8Array): { CancellationReasons?: Reason[] } | undefined {
  try {
    return JSON.parse(new TextDecoder().decode(body))
  } catch {
    return undefined
  }
}

function takeItem(reason: Reason): Item | undefined {
  const { Item: item } = reason
  delete reason.Item
  if (item === undefined) return undefined
  const entries = Object.entries(item).filter(([name]) => kept.includes(name))
  return unmarshall(Object.fromEntries(entries), { wrapNumbers: exactNumber })
}
