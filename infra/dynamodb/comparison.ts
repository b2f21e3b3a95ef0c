import db, { type Expression, type Operand } from 'dynalite/db/index.js'
import type { WireItem } from './wire.ts'

const comparisons = ['=', '<>', 'in']
const junctions = ['and', 'or', 'not']

/**
 * Lets the conditions of dynalite compare maps and lists by value, as DynamoDB does: dynalite finds two of them equal only
 * when they are the same object.
 *
 * The writes of `npm run data` depend on it: they change a user on the condition that roles, secret and the like are as
 * they were read, so that no change of another writer is overwritten. dynalite has no public way, so this replaces a
 * function in its private module `db/index.js`; a test says when dynalite compares otherwise.
 */
export function compareByValue(): void {
  const { checkConditional } = db
  db.checkConditional = (input, item = {}) => {
    const { _condition: condition } = input
    if (condition === undefined) return checkConditional(input, item)
    const expression = withTexts(condition.expression, item)
    return checkConditional({ ...input, _condition: { ...condition, expression } }, item)
  }
}

/** The expression with a text in the place of each map and list that it compares; equal ones have the same text. */
function withTexts(expression: Expression, item: WireItem): Expression {
  const { type, args } = expression
  if (junctions.includes(type))
    return { ...expression, args: args.map(arg => withTexts(arg as Expression, item)) }
  return comparisons.includes(type) ? { ...expression, args: args.map(arg => textOf(arg, item)) } : expression
}

function textOf(operand: Operand, item: WireItem): Operand {
  const value = Array.isArray(operand) ? db.mapPath(operand, item) : operand
  const [type = ''] = Object.keys(value ?? {})
  return type === 'M' || type === 'L' ? { [type]: JSON.stringify(value, inOrder) } : operand
}

/** Sorts the members of maps and the elements of sets, in which their order means nothing. */
function inOrder(name: string, value: unknown): unknown {
  if (Array.isArray(value)) return /^[SNB]S$/.test(name) ? value.toSorted() : value
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).toSorted(([left], [right]) => (left < right ? -1 : 1)))
}
