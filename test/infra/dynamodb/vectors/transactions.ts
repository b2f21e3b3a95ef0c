import type { TransactWriteCommandInput } from '@aws-sdk/lib-dynamodb'
import { a, b, type Item, key, type Reasons, returnOld, TableName } from './fixtures.ts'

export type Actions = NonNullable<TransactWriteCommandInput['TransactItems']>

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

/**
 * `expected` is `done`, the cancellation reasons, or the name of the error that refuses the transaction; `after` are all
 * items afterwards, by key, when any has changed.
 */
type TransactionVector = [name: string, actions: Actions, expected: 'done' | Reasons | string, after?: Item[]]

/** Transactions that are refused as a whole, without an effect. */
const invalid: [name: string, actions: Actions][] = [
  ['refuses two actions on one item', [increment('A'), check('A', 'attribute_exists(PK)')]],
  ['refuses an empty transaction', []],
  ['refuses more than 100 actions', Array.from({ length: 101 }, (_, n) => put(key(`N${n}`)))],
  [
    'refuses more than 4 MB',
    Array.from({ length: 11 }, (_, n) => put({ ...key(`N${n}`), text: 'x'.repeat(390_000) })),
  ],
  ['refuses two actions in one entry', [{ ...put(key('C')), ...remove('D') }]],
  ['refuses an invalid condition', [increment('A'), remove('B', { ConditionExpression: 'non sense' })]],
  ['refuses an update that reads an absent attribute', [remove('B'), increment('D')]],
  ['refuses an item without the complete key', [increment('A'), put({ PK: 'C' })]],
]

/** Source: "TransactWriteItems" and "TransactionCanceledException" of the DynamoDB API Reference. */
export const transactions: TransactionVector[] = [
  [
    'runs every kind of action',
    [increment('A'), remove('B'), put({ ...key('C'), new: true }), check('D', 'attribute_not_exists(PK)')],
    'done',
    [
      { ...a, count: 6 },
      { ...key('C'), new: true },
    ],
  ],
  [
    'replaces an item by a put, and creates one by an update',
    [
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
    'done',
    [{ ...key('A'), count: 0 }, b, { ...key('C'), saml: 1 }],
  ],
  [
    'changes one member of a map in a list, and leaves the others',
    [setInTags('tags[1].z = :value', 'attribute_not_exists(tags[1].z) AND tags[0] = :x')],
    'done',
    [{ ...a, tags: ['x', { y: null, z: 'new' }] }, b],
  ],
  [
    'has no effect when a condition names an element that the list does not have',
    [setInTags('tags[2].z = :value', 'tags[2].y = :x'), remove('B')],
    ['ConditionalCheckFailed', 'None'],
  ],
  [
    'has no effect when the last condition fails',
    [increment('A'), remove('B'), put(key('C')), remove('D', ifPresent)],
    ['None', 'None', 'None', 'ConditionalCheckFailed'],
  ],
  [
    'reports every failed condition, with the item for ALL_OLD',
    [
      increment('A', 'attribute_not_exists(PK)', returnOld),
      remove('B', { ...ifAbsent, ...returnOld }),
      put(key('C'), ifAbsent),
      increment('D', 'attribute_exists(PK)', returnOld),
      check('E', 'attribute_exists(PK)'),
    ],
    [
      { Code: 'ConditionalCheckFailed', Item: a },
      { Code: 'ConditionalCheckFailed', Item: b },
      'None',
      'ConditionalCheckFailed',
      'ConditionalCheckFailed',
    ],
  ],
  [
    'has no effect when one of the tables is absent',
    [increment('A'), { Put: { TableName: 'there-is-none', Item: key('A') } }],
    'ResourceNotFoundException',
  ],
  ...invalid.map(([name, actions]): TransactionVector => [name, actions, 'ValidationException']),
]

type ComparisonVector = [name: string, stored: unknown, given: unknown, isEqual: boolean]

const deep = { id: 1, list: ['x', { y: null }], flags: new Set(['p', 'q']) }

/** Source: "Comparison operator and function reference" of the DynamoDB Developer Guide. */
export const comparisons: ComparisonVector[] = [
  [
    'maps with equal members in another order',
    deep,
    { flags: new Set(['q', 'p']), list: ['x', { y: null }], id: 1 },
    true,
  ],
  ['maps of which one has a member more', deep, { ...deep, more: '' }, false],
  ['maps with another value', deep, { ...deep, id: 2 }, false],
  ['maps with a value of another type', deep, { ...deep, id: '1' }, false],
  ['an empty map and an empty list', {}, [], false],
  ['lists with equal elements', ['x', [1, deep]], ['x', [1, deep]], true],
  ['lists with equal elements in another order', ['x', 1], [1, 'x'], false],
  ['sets with equal elements in another order', new Set([1, 2]), new Set([2, 1]), true],
  ['a text and a map', '{}', {}, false],
]
