import { randomUUID } from 'node:crypto'
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import { Failure } from '../../lib/domain/failure.ts'
import { openClient } from '../../lib/store/client.ts'
import { batchSender, type SendBatch } from '../../lib/store/retry.ts'
import { openTable, type Table } from '../../lib/store/table.ts'
import { type Transact, transactor } from './transact.ts'
import { type Clock, systemClock } from '../../lib/time.ts'
import { connectTo } from '../dynamodb/client.ts'
import { dynamodbEndpoint, explainEngine } from '../dynamodb/endpoint.ts'
import { patiently } from './patience.ts'

/** The table of a command, and the calls on it. */
export interface Data {
  clock: Clock
  client: DynamoDBDocumentClient
  tableName: string
  table: Table
  sendInserts: SendBatch
  transact: Transact
}

/** The environment variables of every command for a table. */
export const tableVariables = {
  AWS_REGION: 'The region of the table; credentials are those of the environment.',
  DYNAMODB_ENDPOINT: 'The URL of a local DynamoDB, instead of AWS.',
}

/**
 * Opens a table, and closes it after the work.
 *
 * @throws Error of one sentence
 */
export async function withData<T>(
  tableName: string,
  work: (data: Data) => Promise<T>,
  clock = systemClock,
): Promise<T> {
  const endpoint = dynamodbEndpoint()
  const client = endpoint === undefined ? openClient() : connectTo(endpoint)
  const region = await client.config.region().catch(() => {
    throw new Error('Set AWS_REGION, or DYNAMODB_ENDPOINT for a local table.')
  })
  const place = endpoint === undefined ? `in ${region}` : `at ${endpoint}`
  try {
    return await work(dataOf(client, tableName, clock))
  } catch (error) {
    return explain(error as AwsError, tableName, place)
  } finally {
    client.destroy()
  }
}

/** The calls of commands on the table; they wait while it throttles. */
export function dataOf(client: DynamoDBDocumentClient, tableName: string, clock: Clock): Data {
  const inRequest = openTable(client, tableName, clock)
  const write = transactor(client, tableName, clock, randomUUID)
  const table: Table = {
    ...inRequest,
    get: (key, signal) => patiently(clock, signal, () => inRequest.get(key, signal)),
    query: (items, read, signal) => patiently(clock, signal, () => inRequest.query(items, read, signal)),
    batchGet: (keys, signal) => patiently(clock, signal, () => inRequest.batchGet(keys, signal)),
    batchPut: (items, signal) => patiently(clock, signal, () => inRequest.batchPut(items, signal)),
  }
  const transact: Transact = (actions, signal) => patiently(clock, signal, () => write(actions, signal))
  return { clock, client, tableName, table, sendInserts: batchSender(clock, 'writes'), transact }
}

type AwsError = NodeJS.ErrnoException & { $metadata?: unknown }

/** Throws one sentence for an error of DynamoDB, the SDK or the network; rethrows errors of this project. */
function explain(error: AwsError, tableName: string, place: string): never {
  const cause: AwsError = error instanceof Failure && error.cause instanceof Error ? error.cause : error
  if (cause.name === 'ResourceNotFoundException') throw new Error(`There is no table ${tableName} ${place}.`)
  if (cause.name === 'CredentialsProviderError')
    throw new Error('No AWS credentials were found in the environment.')
  if (cause.name === 'AccessDeniedException')
    throw new Error(
      `${cause.message.replace(/\.$/, '')}. Give your credentials the right to do this on the table.`,
    )
  const isFromOutside =
    cause.$metadata !== undefined || cause instanceof SyntaxError || cause.name === 'TimeoutError'
  if (isFromOutside || (cause.code !== undefined && cause.path === undefined)) explainEngine(place)(error)
  throw error
}
