import { randomUUID } from 'node:crypto'
import {
  ScanCommand,
  TransactWriteCommand,
  type TransactWriteCommandInput,
  UpdateCommand,
} from '@aws-sdk/lib-dynamodb'
import { marshall } from '@aws-sdk/util-dynamodb'
import { afterAll, beforeAll, beforeEach, expect, inject, test } from 'vitest'
import { connectTo } from '../../../infra/dynamodb/client.ts'
import { createTable, dropTable } from '../../../infra/resources/table.ts'
import { forEachConcurrently } from '../../../lib/concurrency.ts'

// What the service and its commands use of transactions, on the embedded engine and on that of DYNAMODB_ENDPOINT.

type Actions = NonNullable<TransactWriteCommandInput['TransactItems']>
type Item = Record<string, unknown>

const TableName = `transactions-${randomUUID()}`
const client = connectTo(inject('dynamodbEndpoint'))
const transact = (TransactItems: Actions) => client.send(new TransactWriteCommand({ TransactItems }))
const items = async () => {
  const { Items = [] } = await client.send(new ScanCommand({ TableName, ConsistentRead: true }))
  return Items.toSorted((left, right) => (left.PK < right.PK ? -1 : 1)) as Item[]
}

const key = (PK: string) => ({ PK, SK: '1' })
/** The items of the table before each test. */
const [a, b] = [
  { ...key('A'), count: 5 },
  { ...key('B'), count: 1 },
]
beforeAll(() => createTable(client, TableName))
beforeEach(async () => {
  const left = (await items()).map(({ PK, SK }) => ({ Delete: { TableName, Key: { PK, SK } } }))
  if (left.length > 0) await transact(left)
  await transact([a, b].map(Item => ({ Put: { TableName, Item } })))
})
afterAll(() => dropTable(client, TableName))

const put = (Item: Item, ConditionExpression?: string) => ({ Put: { TableName, Item, ConditionExpression } })
const remove = (PK: string, ConditionExpression?: string) => ({
  Delete: { TableName, Key: key(PK), ConditionExpression },
})
const add = (PK: string, by: number, ConditionExpression?: string) => ({
  Update: {
    TableName,
    Key: key(PK),
    ConditionExpression,
    UpdateExpression: 'ADD #count :by',
    ExpressionAttributeNames: { '#count': 'count' },
    ExpressionAttributeValues: { ':by': by },
  },
})
const check = (PK: string, ConditionExpression: string) => ({
  ConditionCheck: {
    TableName,
    Key: key(PK),
    ConditionExpression,
    ExpressionAttributeValues: ConditionExpression.includes(':five') ? { ':five': 5 } : undefined,
    ExpressionAttributeNames: ConditionExpression.includes('#count') ? { '#count': 'count' } : undefined,
  },
})
const exists = 'attribute_exists(PK)'
const isAbsent = 'attribute_not_exists(PK)'

/** The outcome of a transaction: `done`, the codes of its cancellation, or the name of its error. */
const outcomeOf = (actions: Actions) =>
  transact(actions).then(
    () => 'done',
    ({ name, CancellationReasons: reasons }: Error & { CancellationReasons?: { Code: string }[] }) =>
      reasons?.map(({ Code }) => Code) ?? name,
  )

/** Source: "TransactWriteItems" and "TransactionCanceledException" of the DynamoDB API Reference. */
test('a transaction runs actions of every kind', async () => {
  const checks = [check('E', isAbsent), check('F', 'attribute_not_exists(#count) OR #count <> :five')]
  const actions = [add('A', 1), remove('B', exists), put({ ...key('C'), is: true }, isAbsent), add('D', 2)]
  expect(await outcomeOf([...checks, ...actions])).toBe('done')
  const made = [
    { ...key('C'), is: true },
    { ...key('D'), count: 2 },
  ]
  expect(await items()).toEqual([{ ...a, count: 6 }, ...made])
  expect(await outcomeOf([put({ ...key('A'), new: 1 })])).toBe('done')
  expect(await items()).toEqual([{ ...key('A'), new: 1 }, ...made])
})

const manyPuts = (count: number, more = {}) =>
  Array.from({ length: count }, (_, n) => put({ ...key(`N${n}`), ...more }))
test.each<[string, Actions, string | string[]]>([
  [
    'conditions do not hold',
    [add('A', 1), remove('B'), put(key('C'), isAbsent), add('D', 1, exists), remove('E', exists)],
    ['None', 'None', 'None', 'ConditionalCheckFailed', 'ConditionalCheckFailed'],
  ],
  [
    'a table is absent',
    [add('A', 1), { Put: { TableName: 'there-is-none', Item: key('A') } }],
    'ResourceNotFoundException',
  ],
  [
    'its checks do not hold',
    [add('A', 1), check('B', '#count = :five'), check('C', exists)],
    ['None', 'ConditionalCheckFailed', 'ConditionalCheckFailed'],
  ],
  ['two actions are on one item', [add('A', 1), remove('A')], 'ValidationException'],
  ['there is no action', [], 'ValidationException'],
  ['an action is of two kinds', [{ ...add('A', 1), ...remove('B') }], 'ValidationException'],
  ['there are more than 100 actions', manyPuts(101), 'ValidationException'],
  ['it has more than 4 MB', manyPuts(11, { text: 'x'.repeat(390_000) }), 'ValidationException'],
  ['a condition cannot be read', [add('A', 1), remove('B', 'non sense')], 'ValidationException'],
  ['a key is not complete', [add('A', 1), put({ PK: 'C' })], 'ValidationException'],
])('a transaction has no effect when %s', async (_, actions, expected) => {
  expect(await outcomeOf(actions)).toEqual(expected)
  expect(await items()).toEqual([a, b])
})

/** Source: ReturnValuesOnConditionCheckFailure of "ConditionCheck", "Delete", "Put" and "Update" in the same reference. */
test('a condition that does not hold returns the item, if there is one and it is asked for', async () => {
  const returned = async (actions: Actions) => {
    const { CancellationReasons: reasons } = await transact(actions).catch(error => error)
    return reasons.map(({ Item }: { Item?: object }) => Item)
  }
  const asked = { ReturnValuesOnConditionCheckFailure: 'ALL_OLD' } as const
  const actions = [
    { ConditionCheck: { ...check('A', isAbsent).ConditionCheck, ...asked } },
    { Delete: { ...remove('B', exists).Delete, ...asked } },
    { Update: { ...add('C', 1, exists).Update, ...asked } },
  ]
  expect(await returned(actions)).toEqual([marshall(a), undefined, undefined])
  expect(await returned([check('A', isAbsent)])).toEqual([undefined])
})

test('a transaction that is sent again with its token has no further effect', async () => {
  const TransactItems = [add('A', 1)]
  const [token, other] = [randomUUID(), randomUUID()]
  for (const ClientRequestToken of [token, token, other])
    await client.send(new TransactWriteCommand({ TransactItems, ClientRequestToken }))
  expect(await items()).toEqual([{ ...a, count: 7 }, b])
})

test('a transaction is atomic beside other transactions and single writes', async () => {
  let done = 0
  const writers = Array.from({ length: 40 }, (_, n) => n)
  await forEachConcurrently(writers, 20, async n => {
    if (n % 4 === 0) return void (await client.send(new UpdateCommand(add('A', 0).Update)))
    const cancels = n % 4 === 1 ? [remove('D', exists)] : []
    // Cancelled by the condition or by a conflict, it has no effect.
    if ((await outcomeOf([add('A', 1), add('B', -1), ...cancels])) === 'done') done += 1
  })
  expect((await items()).map(({ count }) => count)).toEqual([5 + done, 1 - done])
})
