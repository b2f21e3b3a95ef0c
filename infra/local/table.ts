import { createHash, randomUUID } from 'node:crypto'
import { type DynamoDBDocumentClient, ScanCommand } from '@aws-sdk/lib-dynamodb'
import { createTable, dropTable } from '../resources/table.ts'
import { importSampleData } from '../sample-data/sample-data.ts'

/** One name per data folder: two checkouts, or two tests, may share one engine. */
export const tableNameFor = (dataDirectory: string = randomUUID()) =>
  `saml-providers-local-${createHash('sha256').update(dataDirectory).digest('hex').slice(0, 12)}`

export interface Contents {
  /** Continue with the data in the table. */
  keep?: boolean
  /** Do not import sample data. */
  empty?: boolean
}

/**
 * Creates the table and imports the sample data, unless the table has kept data or is to be empty.
 *
 * @returns whether it has imported the sample data
 */
export async function prepareTable(
  client: DynamoDBDocumentClient,
  tableName: string,
  { keep, empty }: Contents,
  log: (line: string) => void,
): Promise<boolean> {
  if (!keep) await dropTable(client, tableName)
  await createTable(client, tableName)
  const first = { TableName: tableName, Limit: 1, ConsistentRead: true }
  const { Count } = await client.send(new ScanCommand(first))
  if (Count !== 0 || empty) {
    log(`data       ${Count === 0 ? 'none' : 'kept from the last start'}`)
    return false
  }
  const { providers, users } = await importSampleData(client, tableName)
  log(`data       ${providers} providers and ${users} users as samples`)
  return true
}
