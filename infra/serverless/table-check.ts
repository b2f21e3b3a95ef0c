import { isDeepStrictEqual } from 'node:util'
import {
  CloudFormationClient,
  type CloudFormationClientConfig,
  GetTemplateCommand,
} from '@aws-sdk/client-cloudformation'
import { DescribeTableCommand, DescribeTimeToLiveCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { tableProperties } from '../resources/table.ts'
import type { Template } from './template.ts'

/** A stage's table. */
interface StageTable {
  name: string
  /** Whether the stack creates it. */
  isCreated: boolean
}

interface Deployment {
  stage: string
  stackName: string
  /** The template to be deployed. */
  template: Template
  /** Of the clients that look at the account. */
  config: CloudFormationClientConfig
}

/**
 * Checks that a deployment leaves a running stage its table, or gives it one that exists, and that a table which the stack
 * does not create is one of this service.
 *
 * @throws Error of one sentence; or an error of the SDK, when AWS cannot be asked
 */
export async function checkTable({ stage, stackName, template, config }: Deployment): Promise<void> {
  const wanted = tableIn(template)
  if (wanted === undefined) return
  const dynamodb = new DynamoDBClient(config)
  if (!wanted.isCreated) return checkExisting(dynamodb, wanted.name)
  const running = await runningTable(new CloudFormationClient(config), stackName)
  if (isDeepStrictEqual(running, wanted)) return
  if (running !== undefined && running.name !== wanted.name)
    throw new Error(
      `Stage ${stage} uses the table ${running.name}, and this deployment would give it the new, empty table ${wanted.name}: keep tableName ${running.name}, or name a table that exists and set createTable to false.`,
    )
  if (await find(dynamodb, wanted.name))
    throw new Error(
      `The table ${wanted.name} exists, and is not of the stack of stage ${stage}: set createTable to false to use it, or choose another tableName.`,
    )
}

/** @returns undefined in a template of neither form, such as that of a stack with nothing but its bucket */
function tableIn({ Resources, Outputs }: Template): StageTable | undefined {
  if (Resources.ProviderTable !== undefined)
    return { name: Resources.ProviderTable.Properties.TableName, isCreated: true }
  const name = Outputs?.TableName?.Value
  return name === undefined ? undefined : { name, isCreated: false }
}

/** @returns undefined when the stage is not deployed */
async function runningTable(client: CloudFormationClient, stackName: string) {
  try {
    const { TemplateBody = '' } = await client.send(new GetTemplateCommand({ StackName: stackName }))
    return tableIn(JSON.parse(TemplateBody))
  } catch (error) {
    if (/does not exist/.test((error as Error).message)) return undefined
    throw error
  }
}

async function checkExisting(dynamodb: DynamoDBClient, name: string): Promise<void> {
  const table = await find(dynamodb, name)
  if (table === undefined)
    throw new Error(`There is no table ${name}: correct tableName, or let createTable be true.`)
  const { KeySchema, TimeToLiveSpecification } = tableProperties
  if (!isDeepStrictEqual(table.KeySchema, KeySchema))
    throw new Error(`The table ${name} has other keys than PK and SK: it is not one of this service.`)
  if (table.TableStatus !== 'ACTIVE')
    throw new Error(`The table ${name} is not ready (${table.TableStatus}): deploy when it is ACTIVE.`)
  const { TimeToLiveDescription: ttl = {} } = await dynamodb.send(
    new DescribeTimeToLiveCommand({ TableName: name }),
  )
  const { AttributeName } = TimeToLiveSpecification
  if (ttl.AttributeName !== AttributeName || !ttl.TimeToLiveStatus?.startsWith('ENABL'))
    throw new Error(
      `The table ${name} has no TTL on ${AttributeName}: switch it on as infra/operations.md says.`,
    )
}

async function find(dynamodb: DynamoDBClient, TableName: string) {
  try {
    return (await dynamodb.send(new DescribeTableCommand({ TableName }))).Table
  } catch (error) {
    if ((error as Error).name === 'ResourceNotFoundException') return undefined
    throw error
  }
}
