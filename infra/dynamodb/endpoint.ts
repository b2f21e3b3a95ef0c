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
 * @param where such as `at http://127.0.0.1:8000`
 * @param variable the one that says where it is
 */
export const explainEngine =
  (where: string, variable = 'DYNAMODB_ENDPOINT') =>
  (error: Error) => {
    throw new Error(sentenceOf(error.cause instanceof Error ? error.cause : error, where, variable))
  }

function sentenceOf(fault: NodeJS.ErrnoException, where: string, variable: string): string {
  const { code = '', name, message } = fault
  if (name === 'TimeoutError')
    return `The DynamoDB ${where} does not answer: check the network and ${variable}.`
  if (isOfAnotherServer(fault)) return `The server ${where} is not a DynamoDB: check ${variable}.`
  if (tlsCode.test(code))
    return `There is no secure connection to the DynamoDB ${where} (${code}): check ${variable}, and NODE_EXTRA_CA_CERTS if a proxy has a certificate of its own.`
  if (code !== '')
    return `The DynamoDB ${where} cannot be reached (${code}): check the network and ${variable}.`
  return `The DynamoDB ${where} failed: ${(message || name).replace(/\.$/, '')}.`
}

/** Whether a reply is not HTTP or not JSON, or is an error without a name. */
const isOfAnotherServer = (fault: NodeJS.ErrnoException) =>
  fault instanceof BrokenReply ||
  fault instanceof SyntaxError ||
  fault.message === 'UnknownError' ||
  fault.code?.startsWith('HPE_') === true

/** Codes of Node.js and OpenSSL for certificates, and for a server without TLS. */
const tlsCode = /^(EPROTO$|ERR_TLS|ERR_SSL|CERT_|UNABLE_TO_|DEPTH_ZERO|SELF_SIGNED)/
