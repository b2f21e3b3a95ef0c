import { randomUUID } from 'node:crypto'

/** The table of the vectors. */
export const TableName = `vectors-${randomUUID()}`

export type Item = Record<string, unknown>

/** The items of the table before each vector. */
export const a = { PK: 'A', SK: '1', count: 5, saml: 7, sso: 70, tags: ['x', { y: null }] }
export const b = { PK: 'B', SK: '1', count: 1, saml: 7 }
export const before: Item[] = [a, b]

export const key = (PK: string) => ({ PK, SK: '1' })
export const returnOld = { ReturnValuesOnConditionCheckFailure: 'ALL_OLD' as const }

/** The outcome of each action or statement: `done`, `None` or an error code, with the item when it is returned. */
export type Reasons = (string | { Code: string; Item: Item })[]
