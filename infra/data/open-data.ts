import { randomUUID } from 'node:crypto'
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import { openClient } from '../../lib/store/client.ts'
import { openTable, type Table } from '../../lib/store/table.ts'
import { type Transact, transactor } from './table/transact.ts'
import { type Clock, systemClock } from '../../lib/time.ts'
import { connectTo } from '../dynamodb/client.ts'
import { dynamodbEndpoint } from '../dynamodb/endpoint.ts'
import { checkTable } from './check-table.ts'
import { explain } from './explain.ts'
import { type Insert, inserter } from './insert.ts'
import { patiently, withPatience } from './patience.ts'
import { progressOn, say, type ShowPhase } from './progress.ts'

/** The table of a command, and the calls on it. */
export interface Data {
  clock: Clock
  client: DynamoDBDocumentClient
  tableName: string
  table: Table
  insert: Insert
  transact: Transact
  phase: ShowPhase
}

/** The environment variables of every command for a table. */
export const tableVariables = {
  AWS_REGION:
    'The region of the table. The credentials of the environment need the rights in infra/data/README.md.',
  DYNAMODB_ENDPOINT: 'The URL of a local DynamoDB, instead of AWS.',
}

/** The longest duration of an attempt on AWS, in milliseconds; a page of a large table can take DynamoDB Local longer. */
const answerMaxMs = 10_000

/**
 * Opens a table, checks it, and closes it after the work.
 *
 * @param aws region and profile of a table of AWS; the environment's without it
 * @throws Error of one sentence
 */
export async function withData<T>(
  tableName: string,
  signal: AbortSignal,
  work: (data: Data) => Promise<T>,
  clock = systemClock,
  aws: Parameters<typeof openClient>[0] = {},
): Promise<T> {
  const endpoint = dynamodbEndpoint()
  const isOfAws = endpoint === undefined
  const client = isOfAws ? openClient(aws, answerMaxMs) : connectTo(endpoint)
  const region = await client.config.region().catch(() => {
    throw new Error(
      'Set AWS_REGION to a region such as eu-central-1, or DYNAMODB_ENDPOINT for a local table.',
    )
  })
  const place = isOfAws
    ? { tableName, where: `in ${region}`, variable: awsVariable() }
    : { tableName, where: `at ${endpoint}`, variable: 'DYNAMODB_ENDPOINT' }
  try {
    const data = { ...dataOf(client, tableName, clock), phase: progressOn(say, systemClock) }
    await checkTable(data, place, isOfAws, say, signal)
    return await work(data)
  } catch (error) {
    return explain(error as Error, place)
  }
}

/** The variable that says where the SDK finds DynamoDB. */
const awsVariable = () =>
  ['AWS_ENDPOINT_URL_DYNAMODB', 'AWS_ENDPOINT_URL'].find(name => process.env[name]) ?? 'AWS_REGION'

/** The calls of commands on the table, which wait while it throttles, without a word about progress. */
export function dataOf(client: DynamoDBDocumentClient, tableName: string, clock: Clock): Data {
  const table = openTable(client, tableName, clock, undefined, withPatience)
  const patient: Table = {
    ...table,
    batchGet: patiently(table.batchGet),
    updateUsers: patiently(table.updateUsers),
    updateMemberships: patiently(table.updateMemberships),
  }
  const transact = transactor(client, tableName, clock, randomUUID, withPatience)
  const insert = patiently(inserter(client, tableName, clock))
  const phase: ShowPhase = (_label, work) => work(() => {})
  return { clock, client, tableName, table: patient, insert, transact, phase }
}
