import { BrokenReply } from '../../lib/store/broken-reply.ts'
import { readUrl } from '../command-line/values.ts'

/** The URL of the DynamoDB to use; undefined: the command's own. */
export const dynamodbEndpoint = () =>
  readUrl('DYNAMODB_ENDPOINT', 'http://127.0.0.1:8000', process.env.DYNAMODB_ENDPOINT)

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
  const reason = fault.code ?? (fault.message || fault.name).replace(/\.$/, '')
  throw new Error(`The DynamoDB ${place} failed: ${reason}.`)
}
