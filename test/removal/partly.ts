import { cancelled } from '../support/refusals.ts'
import { type Call, outputOf, type Reply, replyOf } from '../support/test-client.ts'

interface Batch {
  items: object[]
  /** The same batch with other items. */
  having: (items: object[]) => Call['body']
}

/** The batch of a call; undefined for another operation. */
function batchOf({ operation, body }: Call): Batch | undefined {
  if (operation !== 'BatchGetItem') return undefined
  const [[table, request]] = Object.entries(body.RequestItems as object) as [[string, { Keys: object[] }]]
  return {
    items: request.Keys,
    having: Keys => ({ ...body, RequestItems: { [table]: { ...request, Keys } } }),
  }
}

export function isBatch(call: Call) {
  return batchOf(call) !== undefined
}

/** Sends the keys of a batch that are read. @returns DynamoDB's reply to a batch that was done in part */
export async function donePartly(call: Call, isRead: Parameters<object[]['filter']>[0]): Promise<Reply> {
  const { items, having } = batchOf(call) as Batch
  const read = items.filter(isRead)
  // DynamoDB refuses an empty batch.
  const { Responses = {} } = read.length === 0 ? {} : outputOf(await call.send(having(read)))
  const left = items.filter(key => !read.includes(key))
  return replyOf({ Responses, UnprocessedKeys: having(left).RequestItems })
}

/** Refuses a transaction that has items of some members, for these alone. */
export async function throttledForSome({ body, send }: Call): Promise<Reply> {
  const actions = body.TransactItems as Record<string, { Key: object }>[]
  const codes = actions.map(action =>
    Object.values(action).some(({ Key }) => isOfSome(Key)) ? 'ThrottlingError' : 'None',
  )
  return codes.includes('ThrottlingError') ? cancelled(...codes) : send()
}

/** Whether a key is of a member with an odd id: of the first one's membership and user, and of those of each second one. */
export const isOfSome = (key: object) => /USER#[^"]*[13579]"/.test(JSON.stringify(key))
