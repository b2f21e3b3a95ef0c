import { BrokenReply } from '../../lib/store/sound-replies.ts'
import { readUrl } from '../command-line/values.ts'

/** Where the DynamoDB is that is to be used instead of the command's own. */
export const dynamodbEndpoint = () =>
  readUrl('DYNAMODB_ENDPOINT', 'http://127.0.0.1:8000', process.env.DYNAMODB_ENDPOINT)

/**
 * Makes one sentence of whatever a DynamoDB does instead of its work.
 *
 * @param place such as `at http://127.0.0.1:8000`
 */
export const explainEngine = (place: string) => (error: Error) => {
  const fault: NodeJS.ErrnoException = error.cause instanceof Error ? error.cause : error
  // The client of the product, or the SDK, found no JSON, or no error's name in it.
  if (fault instanceof BrokenReply || fault instanceof SyntaxError || fault.message === 'UnknownError')
    throw new Error(`The server ${place} does not answer as a DynamoDB.`)
  const reason = fault.code ?? (fault.message || fault.name).replace(/\.$/, '')
  throw new Error(`The DynamoDB ${place} does not do its work: ${reason}.`)
}
