import { cancelled } from '../support/refusals.ts'
import { type Call, outputOf, type Reply, replyOf } from '../support/test-client.ts'

export const isBatch = ({ operation }: Call) => operation === 'BatchGetItem'

/** Sends the keys of a batch that are read. @returns DynamoDB's reply to a batch that was done in part */
export async function donePartly(
  { body, send }: Call,
  isRead: Parameters<object[]['filter']>[0],
): Promise<Reply> {
  const [[table, request]] = Object.entries(body.RequestItems as object) as [[string, { Keys: object[] }]]
  const having = (Keys: object[]) => ({ [table]: { ...request, Keys } })
  const read = request.Keys.filter(isRead)
  // DynamoDB refuses an empty batch.
  const sent = read.length > 0 ? outputOf(await send({ ...body, RequestItems: having(read) })) : {}
  const left = request.Keys.filter(key => !read.includes(key))
  return replyOf({ Responses: sent.Responses ?? {}, UnprocessedKeys: having(left) })
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
