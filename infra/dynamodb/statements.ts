import * as v from 'valibot'
import { jsonObject, readInput, wireObject } from './input.ts'
import { keyNames, keyOf } from './item-key.ts'
import { parseStatement, type Write } from './partiql.ts'
import { type Ask, type Operation, Refused, reply, type WireItem, type WireValue } from './wire.ts'

const statementsMax = 25

const statement = v.object({
  Statement: v.string(),
  Parameters: v.nullish(v.array(wireObject), []),
  ReturnValuesOnConditionCheckFailure: v.nullish(v.string()),
})
const batch = v.object({ Statements: v.array(jsonObject(statement)) })

type Outcome = { TableName?: string; Error?: { Code: string; Message: string; Item?: WireItem } }

/**
 * BatchExecuteStatement, run exclusively, for the statements of `parseStatement`. Each statement succeeds or fails by itself;
 * the same item in two statements fails the whole batch.
 */
export const batchExecuteStatement: Operation = async (input, ask) => {
  const { Statements: statements } = readInput(batch, input)
  if (statements.length === 0 || statements.length > statementsMax)
    throw new Refused('ValidationException', `a batch has 1 to ${statementsMax} statements`)
  const parsed = statements.map(writeOf)
  const keys = parsed.flatMap(write =>
    write instanceof Refused ? [] : JSON.stringify([write.table, keyOf(write.equal)]),
  )
  if (new Set(keys).size < keys.length)
    throw new Refused('ValidationException', 'Provided list of item keys contains duplicates')
  const Responses = await Promise.all(
    parsed.map(async (write, index): Promise<Outcome> => {
      if (write instanceof Refused) return failed(write)
      const isShown = statements[index]?.ReturnValuesOnConditionCheckFailure === 'ALL_OLD'
      return await execute(write, isShown, ask)
    }),
  )
  return reply({ Responses })
}

function writeOf({ Statement, Parameters }: v.InferOutput<typeof statement>): Write | Refused {
  try {
    const write = parseStatement(Statement, Parameters)
    if (keyNames.some(name => write.equal[name] === undefined))
      throw invalid('Where clause does not contain a mandatory equality on all key attributes')
    return write
  } catch (error) {
    if (error instanceof Refused) return error
    throw error
  }
}

/** Executes a statement as the equivalent call of dynalite. */
async function execute(write: Write, isShown: boolean, ask: Ask): Promise<Outcome> {
  try {
    if (write.kind === 'insert')
      await ask('PutItem', {
        TableName: write.table,
        Item: write.equal,
        // Not a ConditionExpression: dynalite would parse it for every item, for a third of the call's time.
        Expected: { [keyNames[0] as string]: { Exists: false } },
      })
    else await ask('UpdateItem', updateOf(write))
    return { TableName: write.table }
  } catch (error) {
    if (!(error instanceof Refused)) throw error
    if (error.name !== 'ConditionalCheckFailedException') return failed(error)
    if (write.kind === 'insert') return { ...failed(duplicate), TableName: write.table }
    const Item = isShown ? await itemOf(write, ask) : undefined
    return {
      Error: { Code: 'ConditionalCheckFailed', Message: error.message, ...(Item !== undefined && { Item }) },
      TableName: write.table,
    }
  }
}

function updateOf({ table, equal, set, remove, missingOrNot }: Write): object {
  const names = new Map<string, string>()
  const values: Record<string, WireValue> = {}
  const nameOf = (attribute: string) => {
    if (!names.has(attribute)) names.set(attribute, `#n${names.size}`)
    return names.get(attribute)
  }
  const parameterOf = (value: WireValue) => {
    const name = `:v${Object.keys(values).length}`
    values[name] = value
    return name
  }
  const sets = Object.entries(set).map(([name, value]) => `${nameOf(name)} = ${parameterOf(value)}`)
  const conditions = [
    // An UPDATE creates no item: the condition on the key fails when there is none.
    ...Object.entries(equal).map(([name, value]) => `${nameOf(name)} = ${parameterOf(value)}`),
    ...Object.entries(missingOrNot).map(
      ([name, value]) =>
        `(attribute_not_exists(${nameOf(name)}) OR ${nameOf(name)} <> ${parameterOf(value)})`,
    ),
  ]
  const removes = remove.map(nameOf)
  return {
    TableName: table,
    Key: keyOf(equal),
    UpdateExpression: `${clause('SET', sets)} ${clause('REMOVE', removes)}`,
    ConditionExpression: conditions.join(' AND '),
    ExpressionAttributeNames: Object.fromEntries([...names].map(([attribute, name]) => [name, attribute])),
    ExpressionAttributeValues: values,
  }
}

const clause = (word: string, parts: unknown[]) => (parts.length === 0 ? '' : `${word} ${parts.join(', ')}`)

const itemOf = async ({ table, equal }: Write, ask: Ask) => {
  const input = { TableName: table, Key: keyOf(equal), ConsistentRead: true }
  return (await ask('GetItem', input)).Item as WireItem | undefined
}

const invalid = (message: string) => new Refused('ValidationException', message)
const duplicate = new Refused('DuplicateItemException', 'Duplicate primary key exists in table')

/** The codes of the errors that concern one statement. */
const codes = new Map([
  ['ValidationException', 'ValidationError'],
  ['ResourceNotFoundException', 'ResourceNotFound'],
  [duplicate.name, 'DuplicateItem'],
])

/** @throws any other error, which refuses the whole batch */
function failed(error: Refused): Outcome {
  const Code = codes.get(error.name)
  if (Code === undefined) throw error
  return { Error: { Code, Message: error.message } }
}
