import type { BatchStatementRequest } from '@aws-sdk/client-dynamodb'
import { a, b, type Item, key, type Reasons, returnOld, TableName } from './fixtures.ts'

export type Statement = Omit<BatchStatementRequest, 'Parameters'> & { Parameters: unknown[] }

const unlink = (links: string) => `SET updated_at = ? ${links}`
const both = unlink('REMOVE saml REMOVE sso WHERE PK = ? AND SK = ? AND saml = ? AND sso = ?')
const samlOnly = unlink('REMOVE saml WHERE PK = ? AND SK = ? AND saml = ? AND (sso IS MISSING OR sso <> ?)')
const update = (rest: string, ...Parameters: unknown[]): Statement => ({
  Statement: `UPDATE "${TableName}" ${rest}`,
  Parameters,
})
const returningOld = (statement: Statement): Statement => ({ ...statement, ...returnOld })
const insert = (Item: Item): Statement => ({
  Statement: `INSERT INTO "${TableName}" VALUE {${Object.keys(Item)
    .map(name => `'${name}': ?`)
    .join(', ')}}`,
  Parameters: Object.values(Item),
})

/** `expected` is `done` or the error of each statement, or the name of the error that refuses the batch. */
type StatementVector = [name: string, statements: Statement[], expected: Reasons | string, after?: Item[]]

const unlinked = { ...key('A'), count: 5, tags: a.tags, updated_at: 'now' }

/** Source: "BatchExecuteStatement" and "BatchStatementError" of the DynamoDB API Reference. */
export const statements: StatementVector[] = [
  [
    'runs each statement independently',
    [update(both, 'now', 'A', '1', 7, 70), update(both, 'now', 'B', '1', 7, 70)],
    ['done', 'ConditionalCheckFailed'],
    [unlinked, b],
  ],
  [
    'returns the item whose condition failed, with ALL_OLD',
    [returningOld(update(both, 'now', 'A', '1', 7, 71)), returningOld(update(both, 'now', 'B', '1', 7, 70))],
    [
      { Code: 'ConditionalCheckFailed', Item: a },
      { Code: 'ConditionalCheckFailed', Item: b },
    ],
  ],
  [
    'neither creates nor returns an absent item',
    [returningOld(update(both, 'now', 'D', '1', 7, 70))],
    ['ConditionalCheckFailed'],
  ],
  [
    'updates an item without another condition, and creates none',
    [
      update('SET saml = ? WHERE PK = ? AND SK = ?', 1, 'B', '1'),
      update('SET saml = ? WHERE PK = ? AND SK = ?', 1, 'D', '1'),
    ],
    ['done', 'ConditionalCheckFailed'],
    [a, { ...b, saml: 1 }],
  ],
  [
    'matches a missing attribute with IS MISSING',
    [update(samlOnly, 'now', 'B', '1', 7, 70)],
    ['done'],
    [a, { ...key('B'), count: 1, updated_at: 'now' }],
  ],
  [
    'matches a different value with <>',
    [update(samlOnly, 'now', 'A', '1', 7, 71)],
    ['done'],
    [{ ...unlinked, sso: 70 }, b],
  ],
  [
    'does not match an equal value with <>',
    [update(samlOnly, 'now', 'A', '1', 7, 70)],
    ['ConditionalCheckFailed'],
  ],
  [
    'removes a missing attribute without an error, and replaces existing ones',
    [update('SET saml = ? SET sso = ? REMOVE none WHERE PK = ? AND SK = ?', 1, 2, 'B', '1')],
    ['done'],
    [a, { ...b, saml: 1, sso: 2 }],
  ],
  // DynamoDB Local has already run the first statement if its condition holds; no caller may rely on either.
  [
    'refuses the batch when two statements name the same item',
    [update(both, 'now', 'A', '1', 8, 80), update(samlOnly, 'now', 'A', '1', 8, 80)],
    'ValidationException',
  ],
  [
    'inserts an absent item, and refuses an existing one',
    [insert({ ...key('C'), text: 'x', deep: [{ is: null }, [1.5, true]] }), insert({ ...key('A'), new: 1 })],
    ['done', 'DuplicateItem'],
    [a, b, { ...key('C'), text: 'x', deep: [{ is: null }, [1.5, true]] }],
  ],
  [
    'refuses only the statement on an absent table',
    [
      { ...insert(key('A')), Statement: `INSERT INTO "there-is-none" VALUE {'PK': ?, 'SK': ?}` },
      insert(key('C')),
    ],
    ['ResourceNotFound', 'done'],
    [a, b, key('C')],
  ],
  [
    'refuses an update without the complete key',
    [update('SET saml = ? WHERE PK = ?', 1, 'A')],
    ['ValidationError'],
  ],
  [
    'refuses too few parameters',
    [update(both, 'now', 'A', '1', 7), insert(key('C'))],
    ['ValidationError', 'done'],
    [a, b, key('C')],
  ],
  [
    'refuses an invalid statement',
    [update('SETS saml = ? WHERE PK = ? AND SK = ?', 1, 'A', '1')],
    ['ValidationError'],
  ],
  ['refuses an empty batch', [], 'ValidationException'],
  [
    'refuses more than 25 statements',
    Array.from({ length: 26 }, (_, n) => insert(key(`N${n}`))),
    'ValidationException',
  ],
]
