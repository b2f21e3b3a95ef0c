import { keyOf } from './item-key.ts'
import { Refused, type WireItem, type WireValue } from './wire.ts'

/** A statement as the equivalent UpdateItem of dynalite. */
export interface Write {
  key: WireItem
  input: { TableName: string; [parameter: string]: unknown }
}

/**
 * Translates the PartiQL that this engine supports; each `?` takes the next parameter:
 * `UPDATE "table" SET a = ? REMOVE b REMOVE c WHERE PK = ? AND SK = ? AND d = ? AND (e IS MISSING OR e <> ?)`
 *
 * @throws Refused for any other text, and for too few or too many parameters
 */
export function translateStatement(statement: string, parameters: WireValue[]): Write {
  if (statement.split('?').length - 1 !== parameters.length)
    throw invalid("Number of parameters in request and statement don't match.")
  const write = update(statement, parameters)
  if (write === undefined)
    throw invalid(`Statement wasn't well formed, or is not supported by this engine: ${statement}`)
  return write
}

const condition = /^(?:\w+ = \?|\((\w+) IS MISSING OR \1 <> \?\))$/

function update(statement: string, parameters: WireValue[]): Write | undefined {
  const [, TableName, changes = '', conditions = ''] =
    /^UPDATE "([\w.-]+)"((?: SET \w+ = \?| REMOVE \w+)+) WHERE (.+)$/.exec(statement) ?? []
  if (TableName === undefined || !conditions.split(' AND ').every(text => condition.test(text)))
    return undefined

  // In an expression, `a = ?` is `#a = :0`.
  let used = 0
  const named = (text: string) => text.replaceAll('?', () => `:${used++}`).replace(/\w+(?= = )/g, '#$&')
  const sets = named(changes).match(/#\w+ = :\d+/g)
  const removes = changes.match(/(?<= REMOVE )\w+/g)?.map(name => `#${name}`)
  const UpdateExpression = [sets && `SET ${sets}`, removes && `REMOVE ${removes}`].join(' ')
  // An UPDATE creates no item: the condition on the key fails when there is none.
  const ConditionExpression = named(conditions).replace(
    /(\w+) IS MISSING OR \1/g,
    'attribute_not_exists(#$1) OR #$1',
  )
  const names = `${UpdateExpression} ${ConditionExpression}`.matchAll(/#(\w+)/g)
  const equal = [...ConditionExpression.matchAll(/#(\w+) = :(\d+)/g)]
  const key = keyOf(Object.fromEntries(equal.map(([, name, index]) => [name, parameters[Number(index)]])))
  const input = {
    TableName,
    Key: key,
    UpdateExpression,
    ConditionExpression,
    ExpressionAttributeNames: Object.fromEntries(names),
    ExpressionAttributeValues: Object.fromEntries(parameters.map((value, index) => [`:${index}`, value])),
  }
  return { key, input }
}

const invalid = (message: string) => new Refused('ValidationException', message)
