/**
 * @param name of the variable that holds the text
 * @returns undefined when it holds none
 * @throws Error of one sentence
 */
export function readUrl(name: string, example: string, text: string | undefined): string | undefined {
  if (text === undefined || text === '') return undefined
  if (!URL.canParse(text) || !/^https?:/.test(text))
    throw new Error(`${name} must be a URL such as ${example}, and is "${text}".`)
  return text
}

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
  // The SDK found no JSON, or no error's name in it.
  if (fault instanceof SyntaxError || fault.message === 'UnknownError')
    throw new Error(`The server ${place} does not answer as a DynamoDB.`)
  const reason = fault.code ?? (fault.message || fault.name).replace(/\.$/, '')
  throw new Error(`The DynamoDB ${place} does not do its work: ${reason}.`)
}
