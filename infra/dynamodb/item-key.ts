import { tableProperties } from '../serverless/service-definition.ts'
import type { WireItem } from './wire.ts'

/** The key attributes of the table. */
export const keyNames: string[] = tableProperties.KeySchema.map(
  ({ AttributeName }: { AttributeName: string }) => AttributeName,
)

export const keyOf = (item: WireItem): WireItem =>
  Object.fromEntries(keyNames.flatMap(name => (item[name] === undefined ? [] : [[name, item[name]]])))
