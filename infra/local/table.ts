import { createHash, randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { type DynamoDBDocumentClient, ScanCommand } from '@aws-sdk/lib-dynamodb'
import type { Clock } from '../../lib/time.ts'
import { connectTo } from '../dynamodb/client.ts'
import { assertAnswers, explainEngine } from '../dynamodb/endpoint.ts'
import { startEngine } from '../dynamodb/engine.ts'
import { createTable, dropTable } from '../resources/table.ts'
import { importSampleData } from '../sample-data/sample-data.ts'

export interface Contents {
  /** Continue with the data in the table. */
  keep?: boolean
  /** Do not import sample data. */
  empty?: boolean
}

export interface TablePlace {
  /** The port of the stack. */
  port: number
  /** The URL of a running DynamoDB; without it the embedded one is started. */
  dynamodbEndpoint?: string | undefined
  /** The folder of kept data; without it nothing is stored. */
  dataDirectory?: string | undefined
}

/**
 * The name of the table. Several checkouts, and several stacks in one folder, may use the same engine: a table that is kept
 * belongs to the folder, any other to the stack's port, too.
 */
export function tableNameFor({ port, dataDirectory = randomUUID(), keep }: TablePlace & Contents): string {
  const owner = keep ? dataDirectory : `${dataDirectory} ${port || randomUUID()}`
  return `saml-providers-local-${createHash('sha256').update(owner).digest('hex').slice(0, 12)}`
}

/** A table that the functions can use. */
export interface StartedTable {
  endpoint: string
  /** Where it is, in words. */
  place: string
  contents: TableContents
}

/** What a table has at the start of a stack. */
export interface TableContents {
  /** False for kept data and an empty table. */
  hasSampleData: boolean
  /** The same in words, with what becomes of it. */
  summary: string
}

/**
 * Starts the embedded engine, if no other is given, and prepares the table in it.
 *
 * @param started gets what has to be undone
 * @throws Error of one sentence
 */
export async function startTable(
  tableName: string,
  { dynamodbEndpoint, dataDirectory, keep = false, empty = false }: TablePlace & Contents,
  clock: Clock,
  started: AsyncDisposableStack,
  log: (line: string) => void,
): Promise<StartedTable> {
  let endpoint = dynamodbEndpoint
  let place = `${tableName} in the DynamoDB at ${endpoint}`
  if (endpoint === undefined) {
    const path = keep && dataDirectory !== undefined ? join(dataDirectory, 'dynamodb') : undefined
    const engine = await startEngine({ path })
    started.defer(engine.stop)
    endpoint = engine.endpoint
    place = `${tableName} in an embedded DynamoDB at ${endpoint}${path ? `, kept in ${path}` : ''}`
  }
  log(`table      ${place}`)

  const client = connectTo(endpoint)
  const contents = await assertAnswers(client, clock)
    .then(() => prepareTable(client, tableName, { keep, empty }, log))
    .catch(explainEngine(`at ${endpoint}`))
  if (dynamodbEndpoint !== undefined && !keep)
    started.defer(() => dropTable(client, tableName).catch(() => {}))
  return { endpoint, place, contents }
}

/** Creates the table and imports the sample data, unless the table has kept data or is to be empty. */
export async function prepareTable(
  client: DynamoDBDocumentClient,
  tableName: string,
  { keep, empty }: Contents,
  log: (line: string) => void,
): Promise<TableContents> {
  const told = (summary: string, hasSampleData = false): TableContents => {
    log(`data       ${summary}`)
    return { hasSampleData, summary }
  }
  if (!keep) await dropTable(client, tableName)
  await createTable(client, tableName)
  const first = { TableName: tableName, Limit: 1, ConsistentRead: true }
  const { Count } = await client.send(new ScanCommand(first))
  if (Count !== 0) return told('kept from the last start')
  if (empty) return told('none')
  const { providers, users } = await importSampleData(client, tableName)
  const future = keep ? 'kept between starts' : 'the same again at each start'
  return told(`${providers} providers and ${users} users as samples, ${future}`, true)
}
