import { DescribeTableCommand, DescribeTimeToLiveCommand } from '@aws-sdk/client-dynamodb'
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import { type Clock, timeLimit } from '../../lib/time.ts'
import type { Place } from './explain.ts'
import { withPatience } from './patience.ts'

/** The first answers come soon, also from a local DynamoDB with a large table. */
const answerMaxMs = 10_000

/**
 * Checks, before any other call, that DynamoDB answers within ten seconds and that the table can be the service's.
 *
 * @param isOfAws a table elsewhere needs no TTL
 * @param warn gets a sentence about what is missing, or cannot be checked without more rights
 * @throws Error of one sentence when the table has another key; errors of calls
 */
export async function checkTable(
  { client, clock }: { client: DynamoDBDocumentClient; clock: Clock },
  place: Place,
  isOfAws: boolean,
  warn: (sentence: string) => void,
  signal: AbortSignal,
): Promise<void> {
  const about = { TableName: place.tableName }
  /** @returns undefined when the right is missing */
  const ask = async <T>(
    action: string,
    send: (options: { abortSignal: AbortSignal }) => Promise<T>,
  ): Promise<T | undefined> => {
    const noAnswer = () => new DOMException('no answer', 'TimeoutError')
    const limit = timeLimit(clock, clock.nowMs() + answerMaxMs, noAnswer, signal)
    try {
      return await withPatience(clock, limit.signal, () => send({ abortSignal: limit.signal }))
    } catch (error) {
      if ((error as Error).name !== 'AccessDeniedException') throw error
      warn(`The table was not checked, because your credentials lack the right dynamodb:${action}.`)
      return undefined
    } finally {
      limit.end()
    }
  }

  const described = await ask('DescribeTable', options =>
    client.send(new DescribeTableCommand(about), options),
  )
  if (described !== undefined) {
    const { KeySchema = [], AttributeDefinitions = [] } = described.Table ?? {}
    const typeOf = (name: string | undefined) =>
      AttributeDefinitions.find(({ AttributeName }) => AttributeName === name)?.AttributeType
    const key = KeySchema.map(({ AttributeName: name }) => `${name} (${typeOf(name)})`).join(' and ')
    if (key !== 'PK (S) and SK (S)')
      throw new Error(
        `The table ${place.tableName} ${place.where} has the key ${key}, not PK (S) and SK (S): check --table.`,
      )
  }

  if (!isOfAws) return
  const ttl = await ask('DescribeTimeToLive', options =>
    client.send(new DescribeTimeToLiveCommand(about), options),
  )
  const { TimeToLiveStatus: status, AttributeName: attribute } = ttl?.TimeToLiveDescription ?? {}
  if (ttl !== undefined && !(attribute === 'expires_at' && /^ENABL/.test(`${status}`)))
    warn(
      `The table ${place.tableName} has no TTL on expires_at, so what a removal leaves is never deleted. Turn it on: aws dynamodb update-time-to-live --table-name ${place.tableName} --time-to-live-specification Enabled=true,AttributeName=expires_at`,
    )
}
