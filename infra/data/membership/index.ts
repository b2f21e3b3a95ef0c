import { randomUUID } from 'node:crypto'
import { openClient } from '../../../lib/store/client.ts'
import { openTable } from '../../../lib/store/table.ts'
import { systemClock as clock } from '../../../lib/time.ts'
import { transactor } from '../transact.ts'
import type { Memberships, TablePlace } from './api.ts'
import { memberships } from './memberships.ts'

export type * from './api.ts'

/** Opens the table for changes of users. */
export function openMemberships({ tableName, ...place }: TablePlace): Memberships {
  const client = openClient(place)
  const table = openTable(client, tableName, clock)
  const transact = transactor(client, tableName, clock, randomUUID)
  return { ...memberships({ table, transact, clock }), close: () => client.config.requestHandler.destroy?.() }
}
