import { type Plan, type Reply, replyOf } from './test-client.ts'

/** Why an action of a transaction was refused, as sent. */
export interface Reason {
  Code: string
  Item?: object
}

/** The reply to a transaction that is cancelled, with a code or a reason for each of its actions. */
export function cancelled(...actions: (string | Reason)[]): Reply {
  const reasons = actions.map(action => (typeof action === 'string' ? { Code: action } : action))
  return replyOf({ __type: 'x#TransactionCanceledException', CancellationReasons: reasons }, 400)
}

/** Does something before each transaction, by the ids of its users, and may answer in its place. */
export const transactions =
  (act: (userIds: string[]) => Promise<Reply | undefined>): Plan =>
  async ({ operation, body, send }) => {
    if (operation !== 'TransactWriteItems') return send()
    const users = JSON.stringify(body).matchAll(/"PK":\{"S":"USER#([^"]+)/g)
    return (await act([...users].map(([, id]) => String(id)))) ?? send()
  }
