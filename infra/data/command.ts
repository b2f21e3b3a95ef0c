import { Failure, reasonOf } from '../../lib/domain/failure.ts'
import { openClient } from '../../lib/store/client.ts'
import { systemClock } from '../../lib/time.ts'
import { defineCommand } from '../command-line/command.ts'
import { Interrupted, onInterrupt } from '../command-line/signals.ts'
import { connectTo } from '../dynamodb/client.ts'
import { assertAnswers, dynamodbEndpoint } from '../dynamodb/endpoint.ts'
import { type Data, dataOf } from './open-data.ts'

/** The longest duration of a call on AWS, in milliseconds. */
const answerMaxMs = 10_000

const variables = {
  AWS_REGION:
    'The region of the table. The credentials of the environment need the rights in infra/data/policy.json.',
  DYNAMODB_ENDPOINT: 'The URL of a local DynamoDB, instead of AWS.',
}

/** Defines a subcommand of `npm run data` for one table. */
export const defineDataCommand = (name: string, purpose: string, example: string) =>
  defineCommand(name, {
    purpose,
    variables,
    example: `npm run --silent data -- ${name} --table saml-providers-prod${example}`,
  }).requiredOption('--table <NAME>', 'Required: the table, which is the output TableName of the deployment.')

/**
 * Works on a table until Ctrl-C aborts the signal.
 *
 * @param work returns the exit code of the process
 * @throws Interrupted after an interruption; Error that names the table, for an error of DynamoDB; any other error unchanged
 */
export async function onTable(
  tableName: string,
  work: (data: Data, signal: AbortSignal) => Promise<number>,
): Promise<void> {
  const endpoint = dynamodbEndpoint()
  const client = endpoint === undefined ? openClient({}, answerMaxMs) : connectTo(endpoint)
  const interruption = new AbortController()
  const stopListening = onInterrupt(() => interruption.abort(new Interrupted('Interrupted.')))
  try {
    // Otherwise each of some attempts would wait for a minute.
    if (endpoint !== undefined) await assertAnswers(client, endpoint, systemClock)
    process.exitCode = await work(dataOf(client, tableName, systemClock), interruption.signal)
  } catch (error) {
    const isOfDynamoDb = error instanceof Failure || '$metadata' in Object(error)
    if (!isOfDynamoDb) throw error
    const place = endpoint ?? (await client.config.region())
    throw new Error(`The table ${tableName} at ${place}: ${reasonOf(error)}`, { cause: error })
  } finally {
    stopListening()
  }
}
