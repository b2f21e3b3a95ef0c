import { randomUUID } from 'node:crypto'
import { onTestFinished } from 'vitest'
import { createTable, dropTable } from '../../infra/resources/table.ts'
import type { Item } from '../../lib/store/items.ts'
import { fakeClock } from '../support/fake-clock.ts'
import { putItems } from '../support/put-items.ts'
import { openTestClient } from '../support/test-client.ts'
import { injectFaults } from './faults.ts'

/**
 * A table of a test's own, whose calls a plan can change.
 *
 * @param callMs duration of each call on the clock, in milliseconds
 */
export async function emptyTable(callMs = 0) {
  const clock = fakeClock()
  const client = openTestClient(clock, callMs)
  injectFaults(client)
  const tableName = `removal-${randomUUID()}`
  await clock.moving(createTable(client, tableName))
  onTestFinished(async () => {
    await clock.moving(dropTable(client, tableName))
    client.destroy()
  })
  const put = (items: Item[]) => clock.moving(putItems(client, tableName, items))
  return { clock, client, tableName, put }
}
