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
 * @param variable the one that says where it is
 */
export const explainEngine =
  (place: string, variable = 'DYNAMODB_ENDPOINT') =>
  (error: Error) => {
    const fault: NodeJS.ErrnoException = error.cause instanceof Error ? error.cause : error
    const { code = '', name, message } = fault
    if (name === 'TimeoutError') throw noAnswer(place, variable)
    // The reply is not HTTP or not JSON, or is an error without a name.
    const isOther = fault instanceof BrokenReply || fault instanceof SyntaxError || message === 'UnknownError'
    if (isOther || code.startsWith('HPE_'))
      throw new Error(`The server ${place} is not a DynamoDB: check ${variable}.`)
    if (tlsCode.test(code))
      throw new Error(
        `There is no secure connection to the DynamoDB ${place} (${code}): check ${variable}, and NODE_EXTRA_CA_CERTS if a proxy has a certificate of its own.`,
      )
    if (code !== '')
      throw new Error(`The DynamoDB ${place} cannot be reached (${code}): check the network and ${variable}.`)
    throw new Error(`The DynamoDB ${place} failed: ${(message || name).replace(/\.$/, '')}.`)
  }

/** The error of one sentence when a DynamoDB does not answer. */
const noAnswer = (place: string, variable: string) =>
  new Error(`The DynamoDB ${place} does not answer: check the network and ${variable}.`)

/** Codes of Node.js and OpenSSL for certificates, and for a server without TLS. */
const tlsCode = /^(EPROTO$|ERR_TLS|ERR_SSL|CERT_|UNABLE_TO_|DEPTH_ZERO|SELF_SIGNED)/
