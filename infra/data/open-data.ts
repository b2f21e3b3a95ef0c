import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import { openTable, type Table } from '../../lib/store/table.ts'
import type { Clock } from '../../lib/time.ts'
import type { Action } from '../../lib/store/transact.ts'

/** The table of a command, and the calls on it. */
export interface Data {
  clock: Clock
  client: DynamoDBDocumentClient
  tableName: string
  table: Table
  /**
   * Writes at most 100 different items of the table, all or none.
   *
   * @returns whether they are written: not when a condition does not hold
   */
  tryWrite(actions: readonly Action[], signal: AbortSignal): Promise<boolean>
}

export function dataOf(client: DynamoDBDocumentClient, tableName: string, clock: Clock): Data {
  const table = openTable(client, tableName, clock)
  return {
    clock,
    client,
    tableName,
    table,
    async tryWrite(actions, signal) {
      const refusal = await table.transact(actions, signal)
      if (refusal === undefined) return true
      if (refusal.refused.some(({ code }) => code === 'ConditionalCheckFailed')) return false
      throw refusal.error
    },
  }
}
