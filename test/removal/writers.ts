import { randomUUID } from 'node:crypto'
import { transactor } from '../../infra/data/transact.ts'
import { writers as otherWriters } from '../data/membership/writers.ts'
import { findUsers } from '../../lib/store/users.ts'
import type { watch } from './promises.ts'
import type { Scenario } from './scenario.ts'

const never = new AbortController().signal

export type Writer = 'link' | 'move' | 'erase'

/** Other writers, which keep the rules of infra/data/membership/README.md. */
export function writers(
  { provider: { id }, users, newcomer, table, client, tableName, clock }: Scenario,
  history: ReturnType<typeof watch>,
): Record<Writer, () => Promise<unknown>> {
  const [toMove, toErase] = users
  const transact = transactor(client, tableName, clock, randomUUID)
  const { link, move, erase } = otherWriters({ table, transact, clock })
  return {
    link: () => link(newcomer.id, { saml: id }),

    /** Moves the first user, if there is one, to a provider of another protocol. */
    async move() {
      if (toMove === undefined) return
      await move(toMove.id, { sso: id + 500 })
      history.moved((await findUsers(table, [toMove.id], never))[0])
    },

    async erase() {
      if (toErase === undefined) return
      await erase(toErase.id)
      history.erased(toErase.id)
    },
  }
}
