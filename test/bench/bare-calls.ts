import * as plain from '@aws-sdk/client-dynamodb'
import * as document from '@aws-sdk/lib-dynamodb'
import { localAws } from '../../infra/dynamodb/client.ts'
import { chunk, forEachConcurrently } from '../../lib/concurrency.ts'
import { type Key, members, membershipKey, providerKey, providers, userKey } from '../../lib/store/keys.ts'

type Send = (command: object) => Promise<{ LastEvaluatedKey?: Record<string, never> }>
type Command = new (input: never) => object
type Value = string | number

/** The SDK's clients as anybody would open them, but without the copy of every reply for a log. */
export function sdkClients(endpoint: string) {
  const client = new plain.DynamoDBClient({
    endpoint,
    ...localAws,
    maxAttempts: 1,
    requestHandler: { httpAgent: { maxSockets: 50, keepAlive: true } },
  })
  client.middlewareStack.remove('loggerMiddleware')
  return { plain: client, document: document.DynamoDBDocumentClient.from(client) }
}

/** The commands of a client, and the form in which they take values. */
interface Dialect {
  Get: Command
  Query: Command
  Update: Command
  BatchGet: Command
  BatchWrite: Command
  Execute: Command
  form: (value: Value) => unknown
}

/** The same calls with attribute values, and with native values that the document client converts. */
const dialects = {
  plain: {
    Get: plain.GetItemCommand,
    Query: plain.QueryCommand,
    Update: plain.UpdateItemCommand,
    BatchGet: plain.BatchGetItemCommand,
    BatchWrite: plain.BatchWriteItemCommand,
    Execute: plain.BatchExecuteStatementCommand,
    form: value => (typeof value === 'string' ? { S: value } : { N: String(value) }),
  },
  document: {
    Get: document.GetCommand,
    Query: document.QueryCommand,
    Update: document.UpdateCommand,
    BatchGet: document.BatchGetCommand,
    BatchWrite: document.BatchWriteCommand,
    Execute: document.BatchExecuteStatementCommand,
    form: value => value,
  },
} satisfies Record<string, Dialect>

const batchesAtOnce = 16
const readsAtOnce = 4

/** The calls of both endpoints with nothing around them: no retry, no check, no mapping. */
export function bareCalls(
  clients: ReturnType<typeof sdkClients>,
  TableName: string,
  by: keyof typeof dialects,
) {
  const client = clients[by]
  const { Get, Query, Update, BatchGet, BatchWrite, Execute, form }: Dialect = dialects[by]
  const send = (Command: Command, input: object) =>
    (client.send as unknown as Send)(new Command(input as never))
  const formed = (values: Record<string, Value>) =>
    Object.fromEntries(Object.entries(values).map(([name, value]) => [name, form(value)]))
  const get = (key: Key) => send(Get, { TableName, Key: formed(key), ConsistentRead: true })
  const at = () => new Date().toISOString()
  const text = `UPDATE "${TableName}" SET updated_at = ? REMOVE saml_provider_id REMOVE sso_provider_id WHERE PK = ? AND SK = ? AND saml_provider_id = ? AND sso_provider_id = ?`

  async function query(PK: string) {
    let from: Record<string, never> | undefined
    do {
      const page = await send(Query, {
        TableName,
        KeyConditionExpression: 'PK = :partition',
        ExpressionAttributeValues: formed({ ':partition': PK }),
        ConsistentRead: true,
        ExclusiveStartKey: from,
      })
      from = page.LastEvaluatedKey
    } while (from !== undefined)
  }

  return {
    /** The providers, and beside them the caller. */
    list: () => Promise.all([query(providers.PK), get(userKey('nobody'))]),
    /** The provider, and beside it the caller. */
    find: (id: number) => Promise.all([get(providerKey(id)), get(providerKey(0))]),
    change: (id: number) =>
      send(Update, {
        TableName,
        Key: formed(providerKey(id)),
        UpdateExpression: 'SET removed_at = :at',
        ConditionExpression: 'attribute_exists(PK)',
        ExpressionAttributeValues: formed({ ':at': at() }),
      }),
    members: (id: number) => query(members(id).PK),
    unlink: (userIds: string[], id: number) =>
      forEachConcurrently(chunk(userIds, 25), batchesAtOnce, async batch => {
        const Statements = batch.map(userId => {
          const { PK, SK } = userKey(userId)
          return { Statement: text, Parameters: [at(), PK, SK, id, id + 1].map(form) }
        })
        await send(Execute, { Statements })
        const puts = batch.map(userId => ({
          PutRequest: { Item: formed({ ...membershipKey(id, userId), expires_at: 1 }) },
        }))
        await send(BatchWrite, { RequestItems: { [TableName]: puts } })
      }),
    read: (userIds: string[]) =>
      forEachConcurrently(chunk(userIds, 100), readsAtOnce, async batch => {
        const Keys = batch.map(userId => formed(userKey(userId)))
        await send(BatchGet, { RequestItems: { [TableName]: { Keys, ConsistentRead: true } } })
      }),
    async update(userIds: string[], id: number) {
      for (const batch of chunk(userIds, 25))
        await Promise.all(
          batch.map(userId =>
            send(Update, {
              TableName,
              Key: formed(userKey(userId)),
              UpdateExpression: 'SET updated_at = :at REMOVE saml_provider_id, sso_provider_id',
              ConditionExpression: 'saml_provider_id = :saml AND sso_provider_id = :sso',
              ExpressionAttributeValues: formed({ ':at': at(), ':saml': id, ':sso': id + 1 }),
            }),
          ),
        )
    },
  }
}

/** The calls of a removal, in its order. */
export async function bareRemoval(calls: ReturnType<typeof bareCalls>, userIds: string[], id: number) {
  await calls.find(id)
  await calls.change(id)
  await calls.members(id)
  await calls.unlink(userIds, id)
  await Promise.all([calls.change(id), calls.read(userIds)])
}
