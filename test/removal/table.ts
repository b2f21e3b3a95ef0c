import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll } from 'vitest'
import { createTable, dropTable } from '../../infra/resources/table.ts'
import type { Item } from '../../lib/store/items.ts'
import { openTable } from '../../lib/store/table.ts'
import { fakeClock } from '../support/fake-clock.ts'
import { allItems, putItems, replaceItems } from '../support/put-items.ts'
import { openTestClient } from '../support/test-client.ts'
import { injectFaults } from './faults.ts'

/**
 * A table for the tests of a file, whose calls a plan can change.
 *
 * @param callMs duration of each call on the clock, in milliseconds
 */
export function tableOfFile(callMs = 0) {
  const clock = fakeClock()
  const client = openTestClient(clock, callMs)
  const tableName = `removal-${randomUUID()}`
  injectFaults(client)
  beforeAll(() => clock.moving(createTable(client, tableName)))
  afterAll(async () => {
    await clock.moving(dropTable(client, tableName))
    client.destroy()
  })
  return {
    clock,
    client,
    tableName,
    /** The product's table, as a new execution environment opens it. */
    open: () => openTable(client, tableName, clock),
    put: (items: Item[]) => clock.moving(putItems(client, tableName, items)),
    replace: (items: Item[]) => clock.moving(replaceItems(client, tableName, items)),
    items: () => clock.moving(allItems(client, tableName)),
  }
}
