import { randomUUID } from 'node:crypto'
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import { isThrottlingError } from '@smithy/core/retry'
import { Failure } from '../../lib/domain/failure.ts'
import { openClient } from '../../lib/store/client.ts'
import { withRetry } from '../../lib/store/retry.ts'
import { openTable, type Table } from '../../lib/store/table.ts'
import { type Clock, systemClock } from '../../lib/time.ts'
import { connectTo } from '../dynamodb/client.ts'
import { assertAnswers, dynamodbEndpoint } from '../dynamodb/endpoint.ts'
import { progressOn, type ShowPhase } from './progress.ts'
import { type Transact, transactor } from './table/transact.ts'

/** The table of a command, and the calls on it. */
export interface Data {
  clock: Clock
  client: DynamoDBDocumentClient
  tableName: string
  table: Table
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
 * Opens a table for some work.
 *
 * @throws Error of one sentence
 */
export async function withData<T>(
  tableName: string,
  signal: AbortSignal,
  work: (data: Data) => Promise<T>,
  clock = systemClock,
): Promise<T> {
  const endpoint = dynamodbEndpoint()
  const client = endpoint === undefined ? openClient({}, answerMaxMs) : connectTo(endpoint)
  try {
    // What is no DynamoDB may never answer, and a large local one may take minutes for a page.
    if (endpoint !== undefined) await assertAnswers(client, endpoint, clock)
    return await work({ ...dataOf(client, tableName, clock), phase: progressOn(process.stderr) })
  } catch (error) {
    if (signal.aborted) throw error
    const region = await client.config.region().catch(() => 'AWS')
    throw inOneSentence(error as AwsError, `${tableName} ${endpoint ? `at ${endpoint}` : `in ${region}`}`)
  }
}

/** The calls of commands on the table, without a word about progress. */
export function dataOf(client: DynamoDBDocumentClient, tableName: string, clock: Clock): Data {
  const table = openTable(client, tableName, clock, undefined, patiently)
  const transact = transactor(client, tableName, clock, randomUUID, patiently)
  return { clock, client, tableName, table, transact, phase: (_label, _total, work) => work(() => {}) }
}

/** Repeats a call as long as DynamoDB throttles it or others change the same items: nobody waits for the answer of a command. */
export const patiently: typeof withRetry = async (clock, signal, call) => {
  for (;;)
    try {
      return await withRetry(clock, signal, call)
    } catch (error) {
      const cause = (error as Failure).cause as Parameters<typeof isThrottlingError>[0]
      const isBusy = error instanceof Failure && error.code === 'table_busy'
      if (!isBusy || !(isThrottlingError(cause) || cause.name === 'TransactionConflictException')) throw error
    }
}

type AwsError = NodeJS.ErrnoException & { $metadata?: unknown }

/** "Common Errors" of the DynamoDB API Reference, and the SDK's own. */
const ofCredentials =
  /^(CredentialsProvider|TokenProvider)Error$|^(ExpiredToken|UnrecognizedClient|InvalidSignature|IncompleteSignature|MissingAuthenticationToken)Exception$/

/** @param table its name, and where it is */
function inOneSentence(error: AwsError, table: string): Error {
  const cause: AwsError = error instanceof Failure && error.cause instanceof Error ? error.cause : error
  const reason = (cause.message || cause.name).replace(/\.?(\n.*)?$/s, '')
  const { name, code, syscall = '' } = cause
  if (name === 'ResourceNotFoundException') return new Error(`There is no table ${table}.`)
  if (name === 'AccessDeniedException')
    return new Error(`${reason}. Give your credentials the right to do this on the table ${table}.`)
  if (ofCredentials.test(name)) return new Error(`No AWS credentials can be used: ${reason}.`)
  if (name === 'TimeoutError' || /^(connect|getaddrinfo)$/.test(syscall))
    return new Error(`The DynamoDB of the table ${table} does not answer (${code ?? reason}).`)
  const isOfSdk = cause !== error || cause.$metadata !== undefined || cause instanceof SyntaxError
  return isOfSdk ? new Error(`${reason}.`) : error
}
