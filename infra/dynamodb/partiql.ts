import { keyNames, keyOf } from './item-key.ts'
import { Refused, type WireItem, type WireValue } from './wire.ts'

/** A statement as the equivalent call of dynalite. */
export interface Write {
  operation: 'PutItem' | 'UpdateItem'
  key: WireItem
  input: { TableName: string; [parameter: string]: unknown }
}

/**
 * Translates the PartiQL that this engine supports; each `?` takes the next parameter:
 *
 * - `UPDATE "table" SET a = ? REMOVE b REMOVE c WHERE PK = ? AND SK = ? AND d = ? AND (e IS MISSING OR e <> ?)`
 * - `INSERT INTO "table" VALUE {'PK': ?, 'SK': ?, 'a': ?}`
 *
 * @throws Refused for any other text, and for too few or too many parameters
 */
export function translateStatement(statement: string, parameters: WireValue[]): Write {
  if (statement.split('?').length - 1 !== parameters.length)
    throw invalid("Number of parameters in request and statement don't match.")
  const write = update(statement, parameters) ?? insert(statement, parameters)
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
  return { operation: 'UpdateItem', key, input }
}

function insert(statement: string, parameters: WireValue[]): Write | undefined {
  const [, TableName, members] =
    /^INSERT INTO "([\w.-]+)" VALUE \{('\w+': \?(?:, '\w+': \?)*)\}$/.exec(statement) ?? []
  if (TableName === undefined || members === undefined) return undefined
  const names = members.match(/\w+/g) ?? []
  const Item = Object.fromEntries(names.map((name, index) => [name, parameters[index] as WireValue]))
  // Not a ConditionExpression: dynalite would parse it for every item, for a third of the call's time.
  const Expected = { [keyNames[0] as string]: { Exists: false } }
  return { operation: 'PutItem', key: keyOf(Item), input: { TableName, Item, Expected } }
}

const invalid = (message: string) => new Refused('ValidationException', message)
