export type Item = Record<string, unknown>

/** What is in the table before each vector. */
export const a = { PK: 'A', SK: '1', count: 5, saml: 7, sso: 70, tags: ['x', { y: null }] }
export const b = { PK: 'B', SK: '1', count: 1, saml: 7 }
export const before: Item[] = [a, b]

export const key = (PK: string) => ({ PK, SK: '1' })
export const showOld = { ReturnValuesOnConditionCheckFailure: 'ALL_OLD' as const }

/** What became of each part: `done` or `None`, or the code of its error; with the item where one is shown. */
export type Reasons = (string | { Code: string; Item: Item })[]
