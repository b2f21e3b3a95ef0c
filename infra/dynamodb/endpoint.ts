import { type DynamoDBClient, ListTablesCommand } from '@aws-sdk/client-dynamodb'
import { abortable, type Clock, timeLimit } from '../../lib/time.ts'
import { BrokenReply } from '../../lib/store/broken-reply.ts'
import { readUrl } from '../command-line/values.ts'

/** The URL of the DynamoDB to use; undefined: the command's own. */
export const dynamodbEndpoint = () =>
  readUrl('DYNAMODB_ENDPOINT', 'http://127.0.0.1:8000', process.env.DYNAMODB_ENDPOINT)

const answerMaxMs = 10_000

/** Asks a DynamoDB for its tables. @throws TimeoutError after 10 s without an answer; any other error of the call */
export async function assertAnswers(client: DynamoDBClient, clock: Clock): Promise<void> {
  const expired = () => new DOMException('no answer', 'TimeoutError')
  const { signal, end } = timeLimit(clock, clock.nowMs() + answerMaxMs, expired)
  try {
    await abortable(client.send(new ListTablesCommand({ Limit: 1 }), { abortSignal: signal }), signal)
  } finally {
    end()
  }
}

/**
 * Throws one sentence for an error of a DynamoDB.
 *
 * @param place such as `at http://127.0.0.1:8000`
 */
export const explainEngine = (place: string) => (error: Error) => {
  const fault: NodeJS.ErrnoException = error.cause instanceof Error ? error.cause : error
  // The reply is not JSON, or is an error without a name.
  if (fault instanceof BrokenReply || fault instanceof SyntaxError || fault.message === 'UnknownError')
    throw new Error(`The server ${place} is not a DynamoDB.`)
  if (fault.name === 'TimeoutError') throw new Error(`The DynamoDB ${place} does not answer.`)
  const reason = fault.code ?? (fault.message || fault.name).replace(/\.$/, '')
  throw new Error(`The DynamoDB ${place} failed: ${reason}.`)
}
