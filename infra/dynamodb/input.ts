import * as v from 'valibot'
import { isJsonObject } from '../../lib/domain/json.ts'
import { Refused } from './wire.ts'

/** A JSON object with the members of the schema; `v.object` alone takes an array, too. */
export const jsonObject = <const T extends v.GenericSchema>(members: T) =>
  v.pipe(v.custom<v.InferInput<T>>(isJsonObject), members)

/** An attribute value or an item, which dynalite checks. */
export const wireObject = v.custom<Record<string, never>>(isJsonObject)

/**
 * The input of an operation.
 *
 * @throws Refused as DynamoDB does: ValidationException for a missing member, SerializationException for one of another type
 */
export function readInput<T extends v.GenericSchema>(schema: T, input: unknown): v.InferOutput<T> {
  const { issues: [issue] = [], output } = v.safeParse(schema, input, { abortEarly: true })
  if (issue === undefined) return output
  const member = v.getDotPath(issue)
  throw issue.input === undefined || issue.input === null
    ? new Refused('ValidationException', `Value null at '${member}': Member must not be null`)
    : new Refused('SerializationException', `Unexpected type at '${member}'`)
}
