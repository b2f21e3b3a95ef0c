import type { BatchStatementRequest } from '@aws-sdk/client-dynamodb'
import { a, b, type Item, key, type Reasons, returnOld } from './fixtures.ts'

export type Statement = Omit<BatchStatementRequest, 'Parameters'> & { Parameters: unknown[] }

const unlink = (links: string) => `UPDATE "TABLE" SET updated_at = ? ${links}`
const both = unlink('REMOVE saml REMOVE sso WHERE PK = ? AND SK = ? AND saml = ? AND sso = ?')
const samlOnly = unlink('REMOVE saml WHERE PK = ? AND SK = ? AND saml = ? AND (sso IS MISSING OR sso <> ?)')
const update = (Statement: string, ...Parameters: unknown[]): Statement => ({ Statement, Parameters })
const returningOld = (statement: Statement): Statement => ({ ...statement, ...returnOld })
const insert = (Item: Item): Statement => ({
  Statement: `INSERT INTO "TABLE" VALUE {${Object.keys(Item)
    .map(name => `'${name}': ?`)
    .join(', ')}}`,
  Parameters: Object.values(Item),
})

interface StatementVector {
  name: string
  statements: Statement[]
  /** For each statement `done` or its error, or the name of the error that refuses the batch. */
  expected: Reasons | string
  after?: Item[]
}

const unlinked = { ...key('A'), count: 5, tags: a.tags, updated_at: 'now' }

/** Source: "BatchExecuteStatement" and "BatchStatementError" of the DynamoDB API Reference. */
export const statements: StatementVector[] = [
  {
    name: 'runs each statement independently',
    statements: [update(both, 'now', 'A', '1', 7, 70), update(both, 'now', 'B', '1', 7, 70)],
    expected: ['done', 'ConditionalCheckFailed'],
    after: [unlinked, b],
  },
  {
    name: 'returns the item whose condition failed, with ALL_OLD',
    statements: [
      returningOld(update(both, 'now', 'A', '1', 7, 71)),
      returningOld(update(both, 'now', 'B', '1', 7, 70)),
    ],
    expected: [
      { Code: 'ConditionalCheckFailed', Item: a },
      { Code: 'ConditionalCheckFailed', Item: b },
    ],
  },
  {
    name: 'neither creates nor returns an absent item',
    statements: [returningOld(update(both, 'now', 'D', '1', 7, 70))],
    expected: ['ConditionalCheckFailed'],
  },
  {
    name: 'matches a missing attribute with IS MISSING',
    statements: [update(samlOnly, 'now', 'B', '1', 7, 70)],
    expected: ['done'],
    after: [a, { ...key('B'), count: 1, updated_at: 'now' }],
  },
  {
    name: 'matches a different value with <>',
    statements: [update(samlOnly, 'now', 'A', '1', 7, 71)],
    expected: ['done'],
    after: [{ ...unlinked, sso: 70 }, b],
  },
  {
    name: 'does not match an equal value with <>',
    statements: [update(samlOnly, 'now', 'A', '1', 7, 70)],
    expected: ['ConditionalCheckFailed'],
  },
  {
    name: 'does not match a string with an equal number',
    statements: [update(both, 'now', 'A', '1', '7', 70)],
    expected: ['ConditionalCheckFailed'],
  },
  {
    name: 'removes a missing attribute without an error, and replaces existing ones',
    statements: [
      update('UPDATE "TABLE" SET saml = ? SET sso = ? REMOVE none WHERE PK = ? AND SK = ?', 1, 2, 'B', '1'),
    ],
    expected: ['done'],
    after: [a, { ...b, saml: 1, sso: 2 }],
  },
  {
    // DynamoDB Local has already run the first statement if its condition holds; no caller may rely on either.
    name: 'refuses the batch when two statements name the same item',
    statements: [update(both, 'now', 'A', '1', 8, 80), update(samlOnly, 'now', 'A', '1', 8, 80)],
    expected: 'ValidationException',
  },
  {
    name: 'inserts an absent item, and refuses an existing one',
    statements: [
      insert({ ...key('C'), text: 'x', deep: [{ is: null }, [1.5, true]] }),
      insert({ ...key('A'), new: 1 }),
    ],
    expected: ['done', 'DuplicateItem'],
    after: [a, b, { ...key('C'), text: 'x', deep: [{ is: null }, [1.5, true]] }],
  },
  {
    name: 'refuses only the statement on an absent table',
    statements: [
      { ...insert(key('A')), Statement: `INSERT INTO "there-is-none" VALUE {'PK': ?, 'SK': ?}` },
      insert(key('C')),
    ],
    expected: ['ResourceNotFound', 'done'],
    after: [a, b, key('C')],
  },
  {
    name: 'refuses an update without the complete key',
    statements: [update('UPDATE "TABLE" SET saml = ? WHERE PK = ?', 1, 'A')],
    expected: ['ValidationError'],
  },
  {
    name: 'refuses an update that changes an attribute twice',
    statements: [
      update('UPDATE "TABLE" SET saml = ? SET saml = ? WHERE PK = ? AND SK = ?', 1, 2, 'A', '1'),
      update('UPDATE "TABLE" SET saml = ? REMOVE saml WHERE PK = ? AND SK = ?', 1, 'B', '1'),
    ],
    expected: ['ValidationError', 'ValidationError'],
  },
  {
    name: 'refuses too few parameters',
    statements: [update(both, 'now', 'A', '1', 7), insert(key('C'))],
    expected: ['ValidationError', 'done'],
    after: [a, b, key('C')],
  },
  {
    name: 'refuses an invalid statement',
    statements: [update('UPGRADE "TABLE" SET saml = ? WHERE PK = ? AND SK = ?', 1, 'A', '1')],
    expected: ['ValidationError'],
  },
  { name: 'refuses an empty batch', statements: [], expected: 'ValidationException' },
  {
    name: 'refuses more than 25 statements',
    statements: Array.from({ length: 26 }, (_, n) => insert(key(`N${n}`))),
    expected: 'ValidationException',
  },
]
