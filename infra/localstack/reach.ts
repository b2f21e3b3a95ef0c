/** LocalStack's first answer may take many seconds. */
const firstAnswerMaxMs = 60_000

/**
 * Waits for LocalStack's first answer.
 *
 * @throws Error of one sentence when LocalStack does not answer
 */
export async function reachLocalStack(endpoint: string, answerMaxMs = firstAnswerMaxMs): Promise<void> {
  const elsewhere = 'or set AWS_ENDPOINT_URL to its URL'
  const response = await fetch(`${endpoint}/_localstack/health`, {
    signal: AbortSignal.timeout(answerMaxMs),
  }).catch(error => {
    throw new Error(
      error.name === 'TimeoutError'
        ? `${endpoint} gave no answer within ${answerMaxMs / 1000} s: restart LocalStack, ${elsewhere}.`
        : `Nothing answers at ${endpoint}: start LocalStack, ${elsewhere}.`,
    )
  })
  const health = (await response.json().catch(() => undefined)) as { services?: object } | undefined
  if (health?.services === undefined)
    throw new Error(`The server at ${endpoint} is not LocalStack: start LocalStack, ${elsewhere}.`)
}
