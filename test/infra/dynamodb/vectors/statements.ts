import type { BatchStatementRequest } from '@aws-sdk/client-dynamodb'
import { a, b, type Item, key, type Reasons, showOld } from './scene.ts'

export type Statement = Omit<BatchStatementRequest, 'Parameters'> & { Parameters: unknown[] }

const unlink = (links: string) => `UPDATE "TABLE" SET updated_at = ? ${links}`
const both = unlink('REMOVE saml REMOVE sso WHERE PK = ? AND SK = ? AND saml = ? AND sso = ?')
const samlAlone = unlink('REMOVE saml WHERE PK = ? AND SK = ? AND saml = ? AND (sso IS MISSING OR sso <> ?)')
const update = (Statement: string, ...Parameters: unknown[]): Statement => ({ Statement, Parameters })
const shown = (statement: Statement): Statement => ({ ...statement, ...showOld })
const insert = (Item: Item): Statement => ({
  Statement: `INSERT INTO "TABLE" VALUE {${Object.keys(Item)
    .map(name => `'${name}': ?`)
    .join(', ')}}`,
  Parameters: Object.values(Item),
})

interface StatementVector {
  name: string
  statements: Statement[]
  /** For each statement `done` or its error, or the name of the error that refuses all. */
  expected: Reasons | string
  after?: Item[]
}

const unlinked = { ...key('A'), count: 5, tags: a.tags, updated_at: 'now' }

/** Source: "BatchExecuteStatement" and "BatchStatementError" of the DynamoDB API Reference. */
export const statements: StatementVector[] = [
  {
    name: 'does what it can, each by itself',
    statements: [update(both, 'now', 'A', '1', 7, 70), update(both, 'now', 'B', '1', 7, 70)],
    expected: ['done', 'ConditionalCheckFailed'],
    after: [unlinked, b],
  },
  {
    name: 'shows the item that did not meet its condition, where that is asked for',
    statements: [shown(update(both, 'now', 'A', '1', 7, 71)), shown(update(both, 'now', 'B', '1', 7, 70))],
    expected: [
      { Code: 'ConditionalCheckFailed', Item: a },
      { Code: 'ConditionalCheckFailed', Item: b },
    ],
  },
  {
    name: 'makes no item that is not there, and shows none',
    statements: [shown(update(both, 'now', 'D', '1', 7, 70))],
    expected: ['ConditionalCheckFailed'],
  },
  {
    name: 'takes an attribute that is missing for another than the one named',
    statements: [update(samlAlone, 'now', 'B', '1', 7, 70)],
    expected: ['done'],
    after: [a, { ...key('B'), count: 1, updated_at: 'now' }],
  },
  {
    name: 'takes an attribute of another value for another than the one named',
    statements: [update(samlAlone, 'now', 'A', '1', 7, 71)],
    expected: ['done'],
    after: [{ ...unlinked, sso: 70 }, b],
  },
  {
    name: 'takes an attribute of the value named for that one',
    statements: [update(samlAlone, 'now', 'A', '1', 7, 70)],
    expected: ['ConditionalCheckFailed'],
  },
  {
    name: 'finds no text equal to a number',
    statements: [update(both, 'now', 'A', '1', '7', 70)],
    expected: ['ConditionalCheckFailed'],
  },
  {
    name: 'removes what is missing, and sets what is there',
    statements: [
      update('UPDATE "TABLE" SET saml = ? SET sso = ? REMOVE none WHERE PK = ? AND SK = ?', 1, 2, 'B', '1'),
    ],
    expected: ['done'],
    after: [a, { ...b, saml: 1, sso: 2 }],
  },
  {
    // DynamoDB Local has done the first by then if its condition holds; no caller may rely on either.
    name: 'refuses all when two name one item',
    statements: [update(both, 'now', 'A', '1', 8, 80), update(samlAlone, 'now', 'A', '1', 8, 80)],
    expected: 'ValidationException',
  },
  {
    name: 'inserts what is not there, and only that',
    statements: [
      insert({ ...key('C'), text: 'x', deep: [{ is: null }, [1.5, true]] }),
      insert({ ...key('A'), new: 1 }),
    ],
    expected: ['done', 'DuplicateItem'],
    after: [a, b, { ...key('C'), text: 'x', deep: [{ is: null }, [1.5, true]] }],
  },
  {
    name: 'refuses a table that is not there, by itself',
    statements: [
      { ...insert(key('A')), Statement: `INSERT INTO "there-is-none" VALUE {'PK': ?, 'SK': ?}` },
      insert(key('C')),
    ],
    expected: ['ResourceNotFound', 'done'],
    after: [a, b, key('C')],
  },
  {
    name: 'refuses an update that does not name the whole key',
    statements: [update('UPDATE "TABLE" SET saml = ? WHERE PK = ?', 1, 'A')],
    expected: ['ValidationError'],
  },
  {
    name: 'refuses too few parameters',
    statements: [update(both, 'now', 'A', '1', 7), insert(key('C'))],
    expected: ['ValidationError', 'done'],
    after: [a, b, key('C')],
  },
  {
    name: 'refuses what is no statement',
    statements: [update('UPGRADE "TABLE" SET saml = ? WHERE PK = ? AND SK = ?', 1, 'A', '1')],
    expected: ['ValidationError'],
  },
  { name: 'refuses no statement', statements: [], expected: 'ValidationException' },
  {
    name: 'refuses more than 25',
    statements: Array.from({ length: 26 }, (_, n) => insert(key(`N${n}`))),
    expected: 'ValidationException',
  },
]
