import { randomUUID } from 'node:crypto'
import { unmarshall } from '@aws-sdk/util-dynamodb'
import { BatchExecuteStatementCommand, ScanCommand, TransactWriteCommand } from '@aws-sdk/lib-dynamodb'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { connectTo } from '../../../infra/dynamodb/client.ts'
import { createTable, dropTable } from '../../../infra/resources/table.ts'
import { chunk, forEachConcurrently } from '../../../lib/concurrency.ts'
import { before, type Item, key, type Reasons, TableName } from './vectors/fixtures.ts'
import { type Statement, statements } from './vectors/statements.ts'
import { type Actions, comparisons, transactions } from './vectors/transactions.ts'

// The vectors hold for both engines: the embedded one by default, and the one of DYNAMODB_ENDPOINT.

const byKey = (items: Item[]) => items.toSorted((one, other) => (String(one.PK) < String(other.PK) ? -1 : 1))

const client = connectTo(inject('dynamodbEndpoint'))
beforeAll(() => createTable(client, TableName))
afterAll(async () => {
  await dropTable(client, TableName)
})

/** The table with the items of `before` and no others. */
async function filledTable() {
  const transact = (TransactItems: Actions, ClientRequestToken?: string) =>
    client.send(new TransactWriteCommand({ TransactItems, ClientRequestToken }))
  for (const left of chunk(await items(), 100))
    await transact(left.map(({ PK, SK }) => ({ Delete: { TableName, Key: { PK, SK } } })))
  await transact(before.map(Item => ({ Put: { TableName, Item } })))
  const execute = (batch: Statement[]) =>
    client.send(new BatchExecuteStatementCommand({ Statements: batch as never }))
  return { transact, execute, items }
}

async function items() {
  const { Items = [] } = await client.send(new ScanCommand({ TableName, ConsistentRead: true }))
  return byKey(Items)
}

interface CodeAndItem {
  Code?: string | undefined
  Item?: Item | undefined
}
const reasonOf = ({ Code, Item }: CodeAndItem): Reasons[number] =>
  Item === undefined ? String(Code) : { Code: String(Code), Item }

interface Cancellation extends Error {
  CancellationReasons?: { Code: string; Item?: Parameters<typeof unmarshall>[0] }[]
}

describe('a transaction', () => {
  test.each(transactions)('%s', async (_, actions, expected, after = before) => {
    const { transact, items } = await filledTable()
    const outcome = await transact(actions).then(
      () => 'done',
      ({ name, CancellationReasons }: Cancellation) =>
        CancellationReasons?.map(({ Code, Item }) => reasonOf({ Code, Item: Item && unmarshall(Item) })) ??
        name,
    )
    expect(outcome).toEqual(expected)
    expect(await items()).toEqual(byKey(after))
  })

  const once: Actions = [
    { Put: { TableName, Item: key('C'), ConditionExpression: 'attribute_not_exists(PK)' } },
  ]
  const deletes = (PK: string): Actions => [{ Delete: { TableName, Key: key(PK) } }]

  test('with the token of one that succeeded has no effect, and is refused when it is another one', async () => {
    const { transact, items } = await filledTable()
    const token = randomUUID()
    await transact(once, token)
    await transact(deletes('C'))
    await transact(once, token)
    const mismatch = { name: 'IdempotentParameterMismatchException' }
    await expect(transact(deletes('A'), token)).rejects.toMatchObject(mismatch)
    expect(await items()).toEqual(before)
  })

  test('that was cancelled runs again with the same token', async () => {
    const { transact, items } = await filledTable()
    const token = randomUUID()
    await transact(once)
    await expect(transact(once, token)).rejects.toThrow('[ConditionalCheckFailed]')
    await transact(deletes('C'))
    await transact(once, token)
    expect(await items()).toHaveLength(before.length + 1)
  })

  test('is atomic, concurrently with other transactions and single writes', async () => {
    const { transact, execute, items } = await filledTable()
    let done = 0
    const writers = Array.from({ length: 40 }, (_, n) => n)
    await forEachConcurrently(writers, 20, async n => {
      if (n % 4 === 0) {
        const Statement = `UPDATE "${TableName}" SET saml = ? WHERE PK = ? AND SK = ?`
        await execute([{ Statement, Parameters: [n, 'A', '1'] }])
        return
      }
      const add = (PK: string, by: number) => ({
        Update: {
          TableName,
          Key: { PK, SK: '1' },
          UpdateExpression: 'SET #count = #count + :by',
          ExpressionAttributeNames: { '#count': 'count' },
          ExpressionAttributeValues: { ':by': by },
        },
      })
      const never = {
        ConditionCheck: { TableName, Key: { PK: 'D', SK: '1' }, ConditionExpression: 'attribute_exists(PK)' },
      }
      // A transaction that is cancelled, by a condition or by a conflict, has no effect.
      try {
        await transact([add('A', 1), add('B', -1), ...(n % 4 === 1 ? [never] : [])])
        done += 1
      } catch (error) {
        expect(error).toMatchObject({ name: 'TransactionCanceledException' })
      }
    })
    expect((await items()).map(({ count }) => count)).toEqual([5 + done, 1 - done])
  })
})

describe('a condition compares by value', () => {
  test.each(comparisons)('%s', async (_, stored, given, isEqual) => {
    const { transact } = await filledTable()
    await transact([{ Put: { TableName, Item: { ...key('C'), doc: stored, holder: [{ doc: stored }] } } }])
    const outcomeOf = (ConditionExpression: string, more = {}) => {
      const ExpressionAttributeValues = { ':given': given, ...more }
      const check = { TableName, Key: key('C'), ConditionExpression, ExpressionAttributeValues }
      return transact([{ ConditionCheck: check }]).then(
        () => 'holds',
        ({ CancellationReasons: [reason] = [] }: Cancellation) => reason?.Code,
      )
    }
    const [whenEqual, otherwise] = isEqual
      ? ['holds', 'ConditionalCheckFailed']
      : ['ConditionalCheckFailed', 'holds']
    expect(await outcomeOf('doc = :given')).toBe(whenEqual)
    expect(await outcomeOf('attribute_exists(PK) AND holder[0].doc = :given')).toBe(whenEqual)
    expect(await outcomeOf('doc IN (:other, :given)', { ':other': 'other' })).toBe(whenEqual)
    expect(await outcomeOf('doc <> :given')).toBe(otherwise)
    expect(await outcomeOf('NOT (holder[0].doc = :given)')).toBe(otherwise)
  })
})

describe('a batch of statements', () => {
  test.each(statements)('%s', async (_, batch, expected, after = before) => {
    const { execute, items } = await filledTable()
    const outcome = await execute(batch).then(
      ({ Responses = [] }) =>
        Responses.map(({ Error: error }) => (error === undefined ? 'done' : reasonOf(error))),
      ({ name }: Error) => name,
    )
    expect(outcome).toEqual(expected)
    expect(await items()).toEqual(byKey(after))
  })
})
