import { DescribeTableCommand, DescribeTimeToLiveCommand } from '@aws-sdk/client-dynamodb'
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import type { Clock } from '../../lib/time.ts'
import type { Place } from './explain.ts'
import { withPatience } from './patience.ts'

/**
 * Checks, before any other call, that DynamoDB answers and that the table can be the service's.
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
  const options = { abortSignal: signal }
  /** @returns undefined when the right is missing */
  const ask = <T>(action: string, send: () => Promise<T>): Promise<T | undefined> =>
    withPatience(clock, signal, send).catch((error: Error) => {
      if (error.name !== 'AccessDeniedException') throw error
      warn(`The table was not checked, because your credentials lack the right dynamodb:${action}.`)
      return undefined
    })

  const described = await ask('DescribeTable', () => client.send(new DescribeTableCommand(about), options))
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
  const ttl = await ask('DescribeTimeToLive', () =>
    client.send(new DescribeTimeToLiveCommand(about), options),
  )
  const { TimeToLiveStatus: status, AttributeName: attribute } = ttl?.TimeToLiveDescription ?? {}
  if (ttl !== undefined && !(attribute === 'expires_at' && /^ENABL/.test(`${status}`)))
    warn(
      `The table ${place.tableName} has no TTL on expires_at, so what a removal leaves is never deleted. Turn it on: aws dynamodb update-time-to-live --table-name ${place.tableName} --time-to-live-specification Enabled=true,AttributeName=expires_at`,
    )
}
