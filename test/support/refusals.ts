import { outputOf, type Plan, type Reply, replyOf } from './test-client.ts'

/** The reply to a transaction that is cancelled, with a code for each of its actions. */
export const cancelled = (...codes: string[]): Reply =>
  replyOf(
    { __type: 'x#TransactionCanceledException', CancellationReasons: codes.map(Code => ({ Code })) },
    400,
  )

/** Why an action of a transaction was refused, as sent. */
interface Reason {
  Code: string
  Item?: object
}

/** The reply to a transaction; if it is cancelled, with other reasons. */
export function withReasons(reply: Reply, change: (reasons: Reason[]) => Reason[]): Reply {
  const { CancellationReasons: reasons, ...output } = outputOf(reply)
  return reasons === undefined ? reply : replyOf({ ...output, CancellationReasons: change(reasons) }, 400)
}

/** Does something before each transaction, by the ids of its users, and may answer in its place. */
export const transactions =
  (act: (userIds: string[]) => Promise<Reply | undefined>): Plan =>
  async ({ operation, body, send }) => {
    if (operation !== 'TransactWriteItems') return send()
    const users = JSON.stringify(body).matchAll(/"PK":\{"S":"USER#([^"]+)/g)
    return (await act([...users].map(([, id]) => String(id)))) ?? send()
  }
