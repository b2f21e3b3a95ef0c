import { translateStatement, type Write } from './partiql.ts'
import { type Ask, type Operation, Refused, reply, type WireValue } from './wire.ts'

const statementsMax = 25

interface Statement {
  Statement: string
  Parameters?: WireValue[]
}

type Outcome = { TableName?: string; Error?: { Code: string; Message: string } }

/**
 * BatchExecuteStatement for the statements of `translateStatement`. Each statement succeeds or fails by itself;
 * the same item in two statements fails the whole batch.
 */
export const batchExecuteStatement: Operation = async (input, ask) => {
  const { Statements: statements } = input as { Statements: Statement[] }
  if (statements.length === 0 || statements.length > statementsMax)
    throw new Refused('ValidationException', `a batch has 1 to ${statementsMax} statements`)
  const parsed = statements.map(writeOf)
  const keys = parsed.flatMap(write =>
    write instanceof Refused ? [] : JSON.stringify([write.input.TableName, write.key]),
  )
  if (new Set(keys).size < keys.length)
    throw new Refused('ValidationException', 'Provided list of item keys contains duplicates')
  const Responses = await Promise.all(
    parsed.map(async write => (write instanceof Refused ? failed(write) : execute(write, ask))),
  )
  return reply({ Responses })
}

function writeOf({ Statement, Parameters }: Statement): Write | Refused {
  try {
    return translateStatement(Statement, Parameters ?? [])
  } catch (error) {
    if (error instanceof Refused) return error
    throw error
  }
}

async function execute({ input }: Write, ask: Ask): Promise<Outcome> {
  const { TableName } = input
  try {
    await ask('UpdateItem', input)
    return { TableName }
  } catch (error) {
    if (!(error instanceof Refused)) throw error
    if (error.name !== 'ConditionalCheckFailedException') return failed(error)
    return { Error: { Code: 'ConditionalCheckFailed', Message: error.message }, TableName }
  }
}

/** The codes of the errors that concern one statement. */
const codes = new Map([
  ['ValidationException', 'ValidationError'],
  ['ResourceNotFoundException', 'ResourceNotFound'],
])

/** @throws any other error, which refuses the whole batch */
function failed(error: Refused): Outcome {
  const Code = codes.get(error.name)
  if (Code === undefined) throw error
  return { Error: { Code, Message: error.message } }
}
