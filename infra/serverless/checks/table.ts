import { isDeepStrictEqual } from 'node:util'
import {
  DescribeTableCommand,
  DescribeTimeToLiveCommand,
  DynamoDBClient,
  type TableDescription,
} from '@aws-sdk/client-dynamodb'
import { tableProperties } from '../../resources/table.ts'
import type { AwsConfig, StageTable } from './stack.ts'

interface Change {
  stage: string
  /** Undefined when nothing is deployed. */
  running: StageTable | undefined
  wanted: StageTable
  /** The table that the operator allows the stage to leave. */
  leaveTable: string | undefined
}

/**
 * Checks that a running stage leaves its table only for one that exists, and when the operator says so; and that a table
 * which the stack does not create is one of this service.
 *
 * @throws Error of one sentence; or an error of the SDK, when AWS cannot be asked
 */
export async function checkTable(config: AwsConfig, change: Change): Promise<void> {
  const { stage, running, wanted, leaveTable } = change
  const dynamodb = new DynamoDBClient(config)
  const left = running?.name === wanted.name ? undefined : running?.name
  if (leaveTable !== undefined) checkLeaveTable(change, leaveTable, left)
  if (wanted.isCreated) await checkCreated(dynamodb, change, left)
  else await checkExisting(dynamodb, wanted.name)
  if (left !== leaveTable)
    throw new Error(
      `Stage ${stage} uses the table ${left}, and this deployment would give it ${wanted.name}: keep tableName ${left}, or confirm the change for this one deployment by --param "leaveTable=${left}".`,
    )
}

function checkLeaveTable({ stage, running }: Change, leaveTable: string, left: string | undefined): void {
  const uses = running === undefined ? 'has none' : `keeps ${running.name}`
  if (left === undefined)
    throw new Error(`This deployment leaves no table, because stage ${stage} ${uses}: leave out leaveTable.`)
  if (leaveTable !== left)
    throw new Error(
      `There is no table ${leaveTable} for this stage to leave, because it uses ${left}: correct leaveTable, or leave it out.`,
    )
}

async function checkCreated(dynamodb: DynamoDBClient, change: Change, left: string | undefined) {
  const { stage, running, wanted } = change
  if (left !== undefined)
    throw new Error(
      `Stage ${stage} uses the table ${left}, and this deployment would give it the new, empty table ${wanted.name}: keep tableName ${left}, or name a table that exists and set createTable to false.`,
    )
  if (!isDeepStrictEqual(running, wanted) && (await find(dynamodb, wanted.name)))
    throw new Error(
      `The table ${wanted.name} exists, and is not of the stack of stage ${stage}: set createTable to false to use it, or choose another tableName.`,
    )
}

/** Checks that a package of an earlier deployment has the table that the stage uses. @throws Error of one sentence */
export function checkTableOfRollback({ stage, running, wanted }: Omit<Change, 'leaveTable'>): void {
  if (running === undefined || isDeepStrictEqual(running, wanted)) return
  if (running.name === wanted.name && running.isCreated) return // it leaves the stack, and is kept
  const own = running.name === wanted.name ? 'which exists' : `and stage ${stage} uses ${running.name}`
  throw new Error(
    `That package ${wanted.isCreated ? 'creates' : 'uses'} the table ${wanted.name}, ${own}: check out its commit, and deploy the old code with the new parameters.`,
  )
}

async function checkExisting(dynamodb: DynamoDBClient, name: string): Promise<void> {
  const table = await find(dynamodb, name)
  if (table === undefined)
    throw new Error(`There is no table ${name}: correct tableName, or let createTable be true.`)
  const wanted = keyOf(tableProperties)
  if (keyOf(table) !== wanted)
    throw new Error(
      `The table ${name} has the key ${keyOf(table)}, not ${wanted}: it is not one of this service.`,
    )
  if (table.TableStatus !== 'ACTIVE')
    throw new Error(`The table ${name} is not ready (${table.TableStatus}): deploy when it is ACTIVE.`)
  const { TimeToLiveDescription: ttl = {} } = await dynamodb.send(
    new DescribeTimeToLiveCommand({ TableName: name }),
  )
  const { AttributeName } = tableProperties.TimeToLiveSpecification
  if (ttl.AttributeName !== AttributeName || !ttl.TimeToLiveStatus?.startsWith('ENABL'))
    throw new Error(
      `The table ${name} has no TTL on ${AttributeName}: switch it on as infra/operations.md says.`,
    )
}

/** The key of a table in words, such as `PK (S) and SK (S)`. */
const keyOf = ({ KeySchema = [], AttributeDefinitions = [] }: TableDescription) =>
  KeySchema.map(({ AttributeName: name }) => {
    const definition = AttributeDefinitions.find(attribute => attribute.AttributeName === name)
    return `${name} (${definition?.AttributeType})`
  }).join(' and ')

async function find(dynamodb: DynamoDBClient, TableName: string) {
  try {
    return (await dynamodb.send(new DescribeTableCommand({ TableName }))).Table
  } catch (error) {
    if ((error as Error).name === 'ResourceNotFoundException') return undefined
    throw error
  }
}
