import { ScanCommand } from '@aws-sdk/lib-dynamodb'
import { forEachConcurrently } from '../../lib/concurrency.ts'
import type { Item } from '../../lib/store/items.ts'
import { withRetry } from '../../lib/store/retry.ts'
import type { Data } from './open-data.ts'
import { patiently } from './patience.ts'

/** More than are scanned at once: DynamoDB Local reads a whole segment for each page. */
const segments = 16
const segmentsAtOnce = 4

/**
 * Scans the whole table, strongly consistent, in any order.
 *
 * @param take gets each page; pages of other segments are read meanwhile
 * @param attributes the attributes to read; default: all
 */
export async function scanTable(
  { clock, client, tableName }: Data,
  take: (items: Item[]) => void | Promise<void>,
  signal: AbortSignal,
  attributes?: readonly string[],
): Promise<void> {
  const readSegment = async (segment: number) => {
    let from: Item | undefined
    do {
      const command = new ScanCommand({
        TableName: tableName,
        ConsistentRead: true,
        Segment: segment,
        TotalSegments: segments,
        ExclusiveStartKey: from,
        ...(attributes !== undefined && {
          ProjectionExpression: attributes.map((_, index) => `#${index}`).join(', '),
          ExpressionAttributeNames: Object.fromEntries(attributes.map((name, index) => [`#${index}`, name])),
        }),
      })
      const page = await patiently(clock, signal, () =>
        withRetry(clock, signal, () => client.send(command, { abortSignal: signal })),
      )
      await take(page.Items ?? [])
      from = page.LastEvaluatedKey
    } while (from !== undefined)
  }
  await forEachConcurrently(Array(segments).keys(), segmentsAtOnce, readSegment)
}
