import type { AttributeValue } from '@aws-sdk/client-dynamodb'

export type Attributes = Record<string, AttributeValue>

/** The units of an item that is written. */
export const writeUnits = (bytes: number) => Math.max(1, Math.ceil(bytes / 1024))

/** The units of a strongly consistent read. */
export const readUnits = (bytes: number) => Math.max(1, Math.ceil(bytes / 4096))
