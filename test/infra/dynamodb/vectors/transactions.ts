import type { TransactWriteCommandInput } from '@aws-sdk/lib-dynamodb'
import { a, b, type Item, key, type Reasons, returnOld } from './fixtures.ts'

export type Actions = NonNullable<TransactWriteCommandInput['TransactItems']>

const TableName = 'TABLE'
const increment = (PK: string, condition?: string, more = {}) => ({
  Update: {
    TableName,
    Key: key(PK),
    UpdateExpression: 'SET #count = #count + :one',
    ExpressionAttributeNames: { '#count': 'count' },
    ExpressionAttributeValues: { ':one': 1 },
    ...(condition && { ConditionExpression: condition }),
    ...more,
  },
})
const put = (Item: Item, more = {}) => ({ Put: { TableName, Item, ...more } })
const remove = (PK: string, more = {}) => ({ Delete: { TableName, Key: key(PK), ...more } })
const check = (PK: string, ConditionExpression: string, more = {}) => ({
  ConditionCheck: { TableName, Key: key(PK), ConditionExpression, ...more },
})
const setInTags = (set: string, ConditionExpression: string) => ({
  Update: {
    TableName,
    Key: key('A'),
    UpdateExpression: `SET ${set}`,
    ConditionExpression,
    ExpressionAttributeValues: { ':value': 'new', ':x': 'x' },
  },
})
const ifAbsent = { ConditionExpression: 'attribute_not_exists(PK)' }
const ifPresent = { ConditionExpression: 'attribute_exists(PK)' }

interface TransactionVector {
  name: string
  actions: Actions
  /** `done`, the cancellation reasons, or the name of the error that refuses the transaction. */
  expected: 'done' | Reasons | string
  /** All items afterwards, by key; default: unchanged. */
  after?: Item[]
}

/** Source: "TransactWriteItems" and "TransactionCanceledException" of the DynamoDB API Reference. */
export const transactions: TransactionVector[] = [
  {
    name: 'runs every kind of action',
    actions: [
      increment('A'),
      remove('B'),
      put({ ...key('C'), new: true }),
      check('D', 'attribute_not_exists(PK)'),
    ],
    expected: 'done',
    after: [
      { ...a, count: 6 },
      { ...key('C'), new: true },
    ],
  },
  {
    name: 'replaces an item by a put, and creates one by an update',
    actions: [
      put({ ...key('A'), count: 0 }),
      {
        Update: {
          TableName,
          Key: key('C'),
          UpdateExpression: 'SET saml = :one',
          ExpressionAttributeValues: { ':one': 1 },
        },
      },
    ],
    expected: 'done',
    after: [{ ...key('A'), count: 0 }, b, { ...key('C'), saml: 1 }],
  },
  {
    name: 'deletes an absent item without an error',
    actions: [remove('D'), increment('B')],
    expected: 'done',
    after: [a, { ...b, count: 2 }],
  },
  {
    name: 'does not change an item whose condition it checks',
    actions: [check('A', 'saml = :seven', { ExpressionAttributeValues: { ':seven': 7 } }), remove('B')],
    expected: 'done',
    after: [a],
  },
  {
    name: 'changes one member of a map in a list, and leaves the others',
    actions: [setInTags('tags[1].z = :value', 'attribute_not_exists(tags[1].z) AND tags[0] = :x')],
    expected: 'done',
    after: [{ ...a, tags: ['x', { y: null, z: 'new' }] }, b],
  },
  {
    name: 'has no effect when a condition names an element that the list does not have',
    actions: [setInTags('tags[2].z = :value', 'tags[2].y = :x'), remove('B')],
    expected: ['ConditionalCheckFailed', 'None'],
  },
  {
    name: 'has no effect when the first condition fails',
    actions: [put(key('A'), ifAbsent), increment('B'), remove('A2')],
    expected: ['ConditionalCheckFailed', 'None', 'None'],
  },
  {
    name: 'has no effect when the last condition fails',
    actions: [increment('A'), remove('B'), put(key('C')), remove('D', ifPresent)],
    expected: ['None', 'None', 'None', 'ConditionalCheckFailed'],
  },
  {
    name: 'reports every failed condition, with the item for ALL_OLD',
    actions: [
      increment('A', 'attribute_not_exists(PK)', returnOld),
      remove('B', { ...ifAbsent, ...returnOld }),
      put(key('C'), ifAbsent),
      increment('D', 'attribute_exists(PK)', returnOld),
      check('E', 'attribute_exists(PK)'),
    ],
    expected: [
      { Code: 'ConditionalCheckFailed', Item: a },
      { Code: 'ConditionalCheckFailed', Item: b },
      'None',
      'ConditionalCheckFailed',
      'ConditionalCheckFailed',
    ],
  },
  {
    name: 'creates no item by a condition check',
    actions: [check('D', 'attribute_not_exists(PK)'), increment('B', 'attribute_not_exists(PK)')],
    expected: ['None', 'ConditionalCheckFailed'],
  },
  {
    name: 'refuses two actions on one item',
    actions: [increment('A'), check('A', 'attribute_exists(PK)')],
    expected: 'ValidationException',
  },
  {
    name: 'refuses a put and a delete of one item',
    actions: [put(key('C')), remove('C')],
    expected: 'ValidationException',
  },
  { name: 'refuses an empty transaction', actions: [], expected: 'ValidationException' },
  {
    name: 'refuses more than 100 actions',
    actions: Array.from({ length: 101 }, (_, n) => put(key(`N${n}`))),
    expected: 'ValidationException',
  },
  {
    name: 'refuses two actions in one entry',
    actions: [{ ...put(key('C')), ...remove('D') }],
    expected: 'ValidationException',
  },
  { name: 'refuses an entry without an action', actions: [{}], expected: 'ValidationException' },
  {
    name: 'has no effect when a condition is invalid',
    actions: [increment('A'), remove('B', { ConditionExpression: 'non sense' })],
    expected: 'ValidationException',
  },
  {
    name: 'has no effect when an update reads an absent attribute',
    actions: [remove('B'), increment('D')],
    expected: 'ValidationException',
  },
  {
    name: 'refuses an item without the complete key',
    actions: [increment('A'), put({ PK: 'C' })],
    expected: 'ValidationException',
  },
  {
    name: 'refuses more than 4 MB',
    actions: Array.from({ length: 11 }, (_, n) => put({ ...key(`N${n}`), text: 'x'.repeat(390_000) })),
    expected: 'ValidationException',
  },
  {
    name: 'has no effect when one of the tables is absent',
    actions: [increment('A'), { Put: { TableName: 'there-is-none', Item: key('A') } }],
    expected: 'ResourceNotFoundException',
  },
]
