import { randomUUID } from 'node:crypto'
import { eraseUser } from '../../infra/data/membership/unlink.ts'
import { linkUser, moveUser } from '../../infra/data/membership/link.ts'
import { transactor } from '../../infra/data/transact.ts'
import { findUsers } from '../../lib/store/users.ts'
import { int32 } from '../support/samples.ts'
import type { watch } from './promises.ts'
import type { Scenario } from './scenario.ts'

const never = new AbortController().signal
const at = '2026-05-05T05:05:05.555Z'

export type Writer = 'link' | 'move' | 'erase'

/** Other writers, which keep the rules of infra/data/membership/README.md. */
export function writers(
  { provider: { id }, users, newcomer, table, client, tableName, clock }: Scenario,
  history: ReturnType<typeof watch>,
): Record<Writer, () => Promise<unknown>> {
  const [toMove, toErase] = users
  const memberships = { table, transact: transactor(client, tableName, clock, randomUUID) }
  return {
    link: () =>
      linkUser(
        memberships,
        newcomer.id,
        { saml_provider_id: int32(id), sso_provider_id: int32() },
        at,
        never,
      ),

    /** Moves the first user, if there is one, to a provider of another protocol. */
    async move() {
      if (toMove === undefined) return
      const elsewhere = { saml_provider_id: int32(), sso_provider_id: int32(id + 500) }
      await moveUser(memberships, toMove.id, elsewhere, at, never)
      history.moved((await findUsers(table, [toMove.id], never))[0])
    },

    async erase() {
      if (toErase === undefined) return
      await eraseUser(memberships, toErase.id, never)
      history.erased(toErase.id)
    },
  }
}
