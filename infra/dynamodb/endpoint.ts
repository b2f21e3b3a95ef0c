import { type DynamoDBClient, ListTablesCommand } from '@aws-sdk/client-dynamodb'
import { abortable, type Clock, timeLimit } from '../../lib/time.ts'
import { urlIn } from '../command-line/values.ts'

/** The URL of the DynamoDB to use; undefined: the command's own. */
export const dynamodbEndpoint = () => urlIn('DYNAMODB_ENDPOINT')

const answerMaxMs = 5000

/**
 * Waits for the first answer of a DynamoDB. It may take longer for a later one, such as a page of a large table.
 *
 * @throws Error of one sentence when nothing answers within 5 s, or what answers is not a DynamoDB
 */
export async function assertAnswers(client: DynamoDBClient, endpoint: string, clock: Clock): Promise<void> {
  const expired = () => new DOMException('no answer', 'TimeoutError')
  const { signal, end } = timeLimit(clock, clock.nowMs() + answerMaxMs, expired)
  try {
    await abortable(client.send(new ListTablesCommand({ Limit: 1 }), { abortSignal: signal }), signal)
  } catch (error) {
    const { code, name } = error as NodeJS.ErrnoException
    throw new Error(
      `No DynamoDB answers at ${endpoint} (${typeof code === 'string' ? code : name}): check DYNAMODB_ENDPOINT.`,
    )
  } finally {
    end()
  }
}
