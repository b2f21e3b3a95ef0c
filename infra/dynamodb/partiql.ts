import { keyOf } from './item-key.ts'
import { Refused, type WireItem, type WireValue } from './wire.ts'

/** A statement as the equivalent UpdateItem of dynalite. */
export interface Write {
  key: WireItem
  input: { TableName: string; [parameter: string]: unknown }
}

const form = /^UPDATE "([\w.-]+)"((?: SET \w+ = \?| REMOVE \w+)+) WHERE (.+)$/

/** The conditions on one attribute and one parameter, and their form in UpdateItem, where all but `=` hold for an absent one. */
const comparisons = [
  { form: /^(\w+) = \?$/, before: '', operator: '=' },
  { form: /^\((\w+) IS MISSING OR \1 <> \?\)$/, before: '', operator: '<>' },
  { form: /^\((\w+) IS MISSING OR NOT \1 > \?\)$/, before: 'NOT ', operator: '>' },
] as const

/**
 * Translates the PartiQL that this engine supports; each `?` takes the next parameter:
 * `UPDATE "table" SET a = ? REMOVE b REMOVE c WHERE PK = ? AND SK = ? AND d = ? AND (e IS MISSING OR e <> ?)`, where
 * `NOT e > ?` may stand for `e <> ?`.
 *
 * @throws Refused for any other text, and for too few or too many parameters
 */
export function translateStatement(statement: string, parameters: WireValue[]): Write {
  if (statement.split('?').length - 1 !== parameters.length)
    throw invalid("Number of parameters in request and statement don't match.")
  const [, TableName, changes = '', conditions = ''] = form.exec(statement) ?? []
  const wanted = conditions.split(' AND ').map(conditionOf)
  if (TableName === undefined || !wanted.every(condition => condition !== undefined))
    throw invalid(`Statement wasn't well formed, or is not supported by this engine: ${statement}`)

  const sets = [...changes.matchAll(/ SET (\w+)/g)].map(([, name]) => String(name))
  const removes = [...changes.matchAll(/ REMOVE (\w+)/g)].map(([, name]) => String(name))
  const assigned = sets.map((name, index) => `#${name} = :${index}`)
  // An UPDATE creates no item: the condition on the key fails when there is none.
  const required = wanted.map(
    ({ name, before, operator }, index) => `${before}#${name} ${operator} :${sets.length + index}`,
  )
  const equal = wanted.flatMap(({ name, operator }, index) =>
    operator === '=' ? [[name, parameters[sets.length + index]]] : [],
  )
  const names = [...sets, ...removes, ...wanted.map(({ name }) => name)]
  const key = keyOf(Object.fromEntries(equal))
  const input = {
    TableName,
    Key: key,
    UpdateExpression: [
      assigned.length > 0 ? `SET ${assigned.join(', ')}` : '',
      removes.length > 0 ? `REMOVE ${removes.map(name => `#${name}`).join(', ')}` : '',
    ].join(' '),
    ConditionExpression: required.join(' AND '),
    ExpressionAttributeNames: Object.fromEntries(names.map(name => [`#${name}`, name])),
    ExpressionAttributeValues: Object.fromEntries(parameters.map((value, index) => [`:${index}`, value])),
  }
  return { key, input }
}

function conditionOf(text: string) {
  const comparison = comparisons.find(({ form }) => form.test(text))
  return comparison && { ...comparison, name: text.replace(comparison.form, '$1') }
}

const invalid = (message: string) => new Refused('ValidationException', message)
