import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import { allProviders } from '../../lib/store/providers.ts'
import { openTable } from '../../lib/store/table.ts'
import { type Clock, systemClock } from '../../lib/time.ts'
import { connectTo } from '../dynamodb/client.ts'
import { assertAnswers } from '../dynamodb/endpoint.ts'
import { startEngine } from '../dynamodb/engine.ts'
import { createTable } from '../resources/table.ts'
import { importSampleData } from '../sample-data/sample-data.ts'

export interface TableOptions {
  /** The URL of a running DynamoDB, in which the table stays; without it the embedded one is started. */
  dynamodbEndpoint?: string | undefined
  /** Import no sample data. */
  empty?: boolean
}

/** A provider, and how many users it has, or had when it was removed. */
export interface StoredProvider {
  id: number
  name: string
  state: string
  users: number
}

export interface LocalTable {
  endpoint: string
  name: string
  /** Where it is, in words. */
  place: string
  /** Whose data it has, in words. */
  data: string
  providers(): Promise<StoredProvider[]>
}

/**
 * Starts the embedded engine, if no other is given, and prepares the table in it.
 *
 * @param started gets what has to be undone
 * @throws Error of one sentence when the other DynamoDB does not answer
 */
export async function startTable(
  name: string,
  { dynamodbEndpoint, empty = false }: TableOptions,
  clock: Clock,
  started: AsyncDisposableStack,
  log: (line: string) => void,
): Promise<LocalTable> {
  let endpoint = dynamodbEndpoint
  if (endpoint === undefined) {
    const engine = await startEngine()
    started.defer(engine.stop)
    endpoint = engine.endpoint
  }
  const place = `${name} in ${dynamodbEndpoint === undefined ? 'memory' : 'the DynamoDB'} at ${endpoint}`
  log(`table      ${place}`)
  const client = connectTo(endpoint)
  await assertAnswers(client, endpoint, clock)
  const prepared = await prepareTable(client, name, { empty })
  const data = dynamodbEndpoint === undefined ? `${prepared}; each start begins anew` : prepared
  log(`data       ${data}`)
  return { endpoint, name, place, data, providers: () => storedProviders(client, name, clock) }
}

/** Creates the table, and imports the sample data unless it has data or is to be empty. @returns whose data it has */
export async function prepareTable(
  client: DynamoDBDocumentClient,
  TableName: string,
  { empty = false }: Pick<TableOptions, 'empty'> = {},
): Promise<string> {
  await createTable(client, TableName)
  const imported = empty ? undefined : await importSampleData(client, TableName)
  if (imported === undefined) return 'your own'
  const stored = await storedProviders(client, TableName)
  const unlinked = imported.users - stored.reduce((sum, { users }) => sum + users, 0) // nobody has two providers
  return `${imported.providers} providers and ${imported.users} users, ${unlinked} of them without a provider, all made up`
}

async function storedProviders(
  client: DynamoDBDocumentClient,
  tableName: string,
  clock: Clock = systemClock,
): Promise<StoredProvider[]> {
  const records = await allProviders(openTable(client, tableName, clock), new AbortController().signal)
  return records.map(({ resource: { id, display_name }, state, memberCount = 0 }) => {
    return { id, name: display_name, state, users: memberCount }
  })
}
