import { ScanCommand } from '@aws-sdk/lib-dynamodb'
import { forEachConcurrently } from '../../../lib/concurrency.ts'
import { completeReply } from '../../../lib/store/broken-reply.ts'
import type { Item } from '../../../lib/store/items.ts'
import { withRetry } from '../../../lib/store/retry.ts'
import type { Data } from '../open-data.ts'
import { reportProgress } from '../output.ts'

/** Parts of the table. Many small ones, because DynamoDB Local reads the whole segment again for each page. */
const segments = 32

const segmentsAtOnce = 4

/**
 * Scans the whole table, strongly consistent, in any order.
 *
 * @param take gets each page; pages of other segments are read meanwhile
 */
export async function scanTable(
  { clock, client, tableName }: Data,
  take: (items: Item[]) => void | Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  using progress = reportProgress('items read')
  await forEachConcurrently(Array(segments).keys(), segmentsAtOnce, async Segment => {
    const input = { TableName: tableName, ConsistentRead: true, Segment, TotalSegments: segments }
    let from: Item | undefined
    do {
      const command = new ScanCommand({ ...input, ExclusiveStartKey: from })
      const { Items, LastEvaluatedKey } = await withRetry(clock, signal, () =>
        completeReply(client.send(command, { abortSignal: signal }), 'Items'),
      )
      await take(Items)
      progress.advance(Items.length)
      from = LastEvaluatedKey
    } while (from !== undefined)
  })
}
