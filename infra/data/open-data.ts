import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import { openTable, type Table } from '../../lib/store/table.ts'
import type { Clock } from '../../lib/time.ts'
import { type Transact, transactor } from '../../lib/store/transact.ts'

/** The table of a command, and the calls on it. */
export interface Data {
  clock: Clock
  client: DynamoDBDocumentClient
  tableName: string
  table: Table
  transact: Transact
}

export const dataOf = (client: DynamoDBDocumentClient, tableName: string, clock: Clock): Data => ({
  clock,
  client,
  tableName,
  table: openTable(client, tableName, clock),
  transact: transactor(client, tableName, clock),
})
