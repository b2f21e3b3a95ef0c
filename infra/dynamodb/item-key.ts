import { tableProperties } from '../serverless/service-definition.ts'
import type { WireItem } from './wire.ts'

/** The attributes of the table's key: of the only table that there is. */
export const keyNames: string[] = tableProperties.KeySchema.map(
  ({ AttributeName }: { AttributeName: string }) => AttributeName,
)

export const keyOf = (item: WireItem): WireItem =>
  Object.fromEntries(keyNames.flatMap(name => (item[name] === undefined ? [] : [[name, item[name]]])))
