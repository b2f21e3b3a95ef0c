import { BatchExecuteStatementCommand, NumberValue, PutCommand } from '@aws-sdk/lib-dynamodb'
import { expect, test } from 'vitest'
import { type BatchedUpdate, executeBatch } from '../../../lib/store/statements.ts'
import { race } from '../../engines/isolation.ts'
import { boundaryValues } from '../../support/samples.ts'
import { a, b, key, vectorTable } from './vector-table.ts'

/** Source: "BatchExecuteStatement" and "BatchStatementError" of the DynamoDB API Reference. */

const { TableName, client, items } = vectorTable()

const execute = (...updates: BatchedUpdate[]) =>
  executeBatch(client, TableName, updates, new AbortController().signal)
const update = (
  PK: string,
  change: string,
  changeValues: unknown[],
  condition = '(none IS MISSING OR none <> ?)',
  conditionValues: unknown[] = [0],
): BatchedUpdate => ({ key: key(PK), change, changeValues, condition, conditionValues })
const set = (PK: string) => update(PK, 'SET saml = ?', [9])
const unlinked = { ...key('A'), count: 5, tags: a.tags, updated_at: 'now' }

test('a statement whose condition does not hold is refused', async () => {
  const unlink = (PK: string) =>
    update(PK, 'SET updated_at = ? REMOVE saml REMOVE sso', ['now'], 'saml = ? AND sso = ?', [7, 70])
  // There is no D, and none is created.
  expect(await execute(unlink('A'), unlink('B'), unlink('D'))).toEqual(['done', 'refused', 'refused'])
  expect(await items()).toEqual([unlinked, b])
})

test('an absent attribute is MISSING', async () => {
  const condition = 'saml = ? AND (sso IS MISSING OR sso <> ?)'
  const unlink = (PK: string, sso: number) =>
    update(PK, 'SET updated_at = ? REMOVE saml', ['now'], condition, [7, sso])
  expect(await execute(unlink('A', 70), unlink('B', 70))).toEqual(['refused', 'done'])
  expect(await execute(unlink('A', 71))).toEqual(['done'])
  expect(await items()).toEqual([
    { ...unlinked, sso: 70 },
    { ...key('B'), count: 1, updated_at: 'now' },
  ])
})

test('only a greater number is >, no value of another type', async () => {
  const most = 1_900_000_000
  const values = [...boundaryValues.map(([, value]) => value), undefined, most, most + 1]
  for (const [n, expires_at] of values.entries())
    await client.send(new PutCommand({ TableName, Item: { ...key(`N${n}`), expires_at } }))
  const condition = '(expires_at IS MISSING OR NOT expires_at > ?)'
  const marks = values.map((_, n) => update(`N${n}`, 'SET expires_at = ?', [most], condition, [most]))
  const outcomes = await execute(...marks)
  const refused = values.filter((_, n) => outcomes[n] === 'refused')
  expect(refused).toEqual(values.filter(value => value instanceof NumberValue || value === most + 1))
})

test('an update makes no item', async () => {
  const change = 'SET saml = ? SET sso = ? REMOVE none'
  const outcomes = await execute(update('B', change, [1, 2]), update('D', change, [1, 2]))
  expect(outcomes).toEqual(['done', 'refused'])
  expect(await items()).toEqual([a, { ...b, saml: 1, sso: 2 }])
})

const where = 'WHERE PK = ? AND SK = ?'
test.each<[string, text: string, parameters: unknown[], code: string]>([
  ['an absent table', `UPDATE "there-is-none" SET saml = ? ${where}`, [9, 'A', '1'], 'ResourceNotFound'],
  ['half a key', `UPDATE "${TableName}" SET saml = ? WHERE PK = ?`, [9, 'A'], 'ValidationError'],
  ['too few parameters', `UPDATE "${TableName}" SET saml = ? ${where}`, ['A'], 'ValidationError'],
  ['an unknown word', `UPDATE "${TableName}" SETS saml = ? ${where}`, [1, 'A', '1'], 'ValidationError'],
])('%s refuses its statement alone', async (_, text, faulty, code) => {
  const sound = { Statement: `UPDATE "${TableName}" SET saml = ? ${where}`, Parameters: [9, 'B', '1'] }
  const Statements = [{ Statement: text, Parameters: faulty }, sound]
  const { Responses = [] } = await client.send(new BatchExecuteStatementCommand({ Statements }))
  expect(Responses.map(response => response.Error?.Code)).toEqual([code, undefined])
  expect(await items()).toEqual([a, { ...b, saml: 9 }])
})

// With two statements for one item, DynamoDB Local has executed the first: no caller may rely on that.
test.each([
  ['no statement', []],
  ['more than 25', Array.from({ length: 26 }, (_, n) => set(`N${n}`))],
  ['two for one item', [update('A', 'SET saml = ?', [7]), update('A', 'SET sso = ?', [70])]],
])('a batch of %s is refused', async (_, statements) => {
  await expect(execute(...statements)).rejects.toMatchObject({ name: 'ValidationException' })
  expect(await items()).toEqual([a, b])
})

const rounds = 20

test('a statement of a batch meets a transaction on its item as a single write does', async () => {
  const { wrong, statementFirst, transactionFirst, conflicts } = await race(client, TableName, rounds)
  expect([wrong, statementFirst + transactionFirst + conflicts]).toEqual([0, rounds])
})
