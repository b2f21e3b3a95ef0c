import {
  BatchWriteCommand,
  type BatchWriteCommandInput,
  type DynamoDBDocumentClient,
} from '@aws-sdk/lib-dynamodb'
import { completeReply } from '../../lib/store/broken-reply.ts'
import type { Item } from '../../lib/store/items.ts'
import { batchSender } from '../../lib/store/retry.ts'
import type { Clock } from '../../lib/time.ts'
import { patiently } from './patience.ts'

/** Puts at most 25 items, and overwrites those with the same keys. */
export type Put = (items: Item[], signal: AbortSignal) => Promise<void>

type Write = NonNullable<BatchWriteCommandInput['RequestItems']>[string][number]

export function putter(client: DynamoDBDocumentClient, tableName: string, clock: Clock): Put {
  const sendPuts = batchSender(clock)
  return (items, signal) => {
    const puts = items.map((Item): Write => ({ PutRequest: { Item } }))
    const send = async (left: Write[]) => {
      const command = new BatchWriteCommand({ RequestItems: { [tableName]: left } })
      const sent = client.send(command, { abortSignal: signal })
      return (await completeReply(sent, 'UnprocessedItems')).UnprocessedItems[tableName] ?? []
    }
    return patiently(signal, () => sendPuts(signal, puts, send))
  }
}
