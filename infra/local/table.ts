import { createHash, randomUUID } from 'node:crypto'
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { allProviders } from '../../lib/store/providers.ts'
import { openTable } from '../../lib/store/table.ts'
import { systemClock } from '../../lib/time.ts'
import { createTable, dropTable } from '../dynamodb/table.ts'
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

/** Creates the table and imports the sample data, unless the table has kept data or is to be empty. */
export async function prepareTable(
  client: DynamoDBClient,
  tableName: string,
  { keep, empty }: Contents,
  log: (line: string) => void,
): Promise<void> {
  if (!keep) await dropTable(client, tableName)
  await createTable(client, tableName)
  const found = await allProviders(openTable(client, tableName, systemClock), new AbortController().signal)
  if (found.length > 0) return log('data       kept from the last start')
  if (empty) return log('data       none')
  const { providers, users } = await importSampleData(client, tableName)
  log(`data       ${providers} providers and ${users} users as samples`)
}
