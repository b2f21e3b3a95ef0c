import { createHash, randomUUID } from 'node:crypto'
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import { createTable, dropTable } from '../dynamodb/table.ts'
import { holdsProviders, putSampleItems } from '../sample-data/items.ts'
import { sampleProviders } from '../sample-data/providers.ts'
import { sampleUsers } from '../sample-data/users.ts'

/** One name per data folder: two checkouts, or two tests, may share one engine. */
export const tableNameFor = (dataDirectory: string = randomUUID()) =>
  `saml-providers-local-${createHash('sha256').update(dataDirectory).digest('hex').slice(0, 12)}`

/** Creates the table and fills it with the sample data, unless it has kept data. */
export async function prepareTable(
  client: DynamoDBDocumentClient,
  tableName: string,
  keep: boolean,
  log: (line: string) => void,
): Promise<void> {
  if (!keep) await dropTable(client, tableName)
  await createTable(client, tableName)
  if (await holdsProviders(client, tableName)) return log('data       kept from the last start')
  log(`data       ${sampleProviders.length} providers and ${sampleUsers.length} users as samples`)
  await putSampleItems(client, tableName)
}
