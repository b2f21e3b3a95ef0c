import { cancelled, transactions } from '../support/refusals.ts'
import { type Reply, replyOf } from '../support/test-client.ts'

/** May answer transactions in the engine's place, by the ids of their users; and notes how many each one has. */
export function refusing(act: (userIds: string[]) => Promise<Reply | undefined>) {
  const sizes: number[] = []
  const plan = transactions(userIds => {
    sizes.push(userIds.length)
    return act(userIds)
  })
  return { sizes, plan }
}

/** A transaction that is refused for some of its members: for the membership of one, for the user of the next. */
export const refusedFor = (some: readonly string[], userIds: string[], code: string) =>
  cancelled(
    'None',
    ...userIds.flatMap((id, n) => [0, 1].map(k => (some.includes(id) && n % 2 === k ? code : 'None'))),
  )

/** The refusal of a transaction that names nobody. */
export const inProgress = replyOf({ __type: 'x#TransactionInProgressException' }, 400)
