import { randomUUID } from 'node:crypto'
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import { afterAll, beforeAll } from 'vitest'
import { createTable, dropTable } from '../../infra/resources/table.ts'
import type { Item } from '../../lib/store/items.ts'
import { openTable } from '../../lib/store/table.ts'
import { fakeClock } from '../support/fake-clock.ts'
import { allItems, putItems, replaceItems } from '../support/put-items.ts'
import { openOwnClient } from '../support/test-client.ts'
import { injectFaults } from './faults.ts'

/**
 * A table for the tests of a file, whose calls a plan can change.
 *
 * @param callMs duration of each call on the clock, in milliseconds
 * @param pageSize memberships in a page of a Query; by default as many as the engine returns
 */
export function tableOfFile(callMs = 0, pageSize?: number) {
  const clock = fakeClock()
  const client = openOwnClient(clock, callMs)
  const tableName = `removal-${randomUUID()}`
  injectFaults(client)
  if (pageSize !== undefined) limitPages(client, pageSize)
  beforeAll(() => clock.moving(createTable(client, tableName)))
  afterAll(async () => {
    await clock.moving(dropTable(client, tableName))
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

function limitPages(client: DynamoDBDocumentClient, pageSize: number) {
  client.middlewareStack.add(
    next => args => {
      const isOfMembers = JSON.stringify(args.input).includes('SAML_PROVIDER#')
      const limit = isOfMembers && 'KeyConditionExpression' in args.input ? { Limit: pageSize } : {}
      return next({ ...args, input: { ...args.input, ...limit } })
    },
    { step: 'initialize', name: 'pages' },
  )
}
