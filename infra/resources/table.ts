import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  CreateTableCommand,
  DeleteTableCommand,
  type DynamoDBClient,
  waitUntilTableExists,
  waitUntilTableNotExists,
} from '@aws-sdk/client-dynamodb'
import { parse } from 'yaml'

const template = readFileSync(join(import.meta.dirname, 'table.yml'), 'utf8')

const tableProperties = parse(template, { logLevel: 'error' }).Resources.ProviderTable.Properties // no warnings about !Ref

/** Embedded engines take a millisecond, DynamoDB up to some minutes. */
const waiter = (client: DynamoDBClient) => ({ client, maxWaitTime: 300, minDelay: 0.01, maxDelay: 1 })

/** Creates the table of infra/resources/table.yml unless it exists, and waits until it can be used. */
export async function createTable(client: DynamoDBClient, tableName: string): Promise<void> {
  const { AttributeDefinitions, KeySchema, BillingMode } = tableProperties
  const command = new CreateTableCommand({
    TableName: tableName,
    AttributeDefinitions,
    KeySchema,
    BillingMode,
  })
  await unless('ResourceInUseException', client.send(command))
  await waitUntilTableExists(waiter(client), { TableName: tableName })
}

/** Deletes the table if it exists, and waits until its name is free. @internal */
export async function dropTable(client: DynamoDBClient, tableName: string): Promise<void> {
  await unless('ResourceNotFoundException', client.send(new DeleteTableCommand({ TableName: tableName })))
  await waitUntilTableNotExists(waiter(client), { TableName: tableName })
}

async function unless(name: string, call: Promise<unknown>): Promise<void> {
  try {
    await call
  } catch (error) {
    if ((error as Error).name !== name) throw error
  }
}
