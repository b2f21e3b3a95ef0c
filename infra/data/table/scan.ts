import { DescribeTableCommand } from '@aws-sdk/client-dynamodb'
import { ScanCommand, type ScanCommandInput } from '@aws-sdk/lib-dynamodb'
import { forEachConcurrently } from '../../../lib/concurrency.ts'
import type { Item } from '../../../lib/store/items.ts'
import { type Data, patiently } from '../open-data.ts'
import { kindOf } from './table-item.ts'

/**
 * The number of parts of the table, each with an equal share of the partition keys. More than are scanned at once: DynamoDB
 * Local reads a whole segment for each page.
 *
 * @internal
 */
export const segments = 32

const segmentsAtOnce = 4

/**
 * Scans the whole table as a phase of a command, strongly consistent, in any order.
 *
 * @param take gets each page; pages of other segments are read meanwhile
 * @param only which items and attributes are read; default: all
 */
export async function scanTable(
  data: Data,
  take: (items: Item[]) => void | Promise<void>,
  signal: AbortSignal,
  only: Partial<ScanCommandInput> = {},
): Promise<void> {
  const { clock, client, tableName, phase } = data
  await phase('items read', await approximateCount(data, signal), advance =>
    forEachConcurrently(Array(segments).keys(), segmentsAtOnce, async segment => {
      let from: Item | undefined
      do {
        const command = new ScanCommand({
          TableName: tableName,
          ConsistentRead: true,
          Segment: segment,
          TotalSegments: segments,
          ExclusiveStartKey: from,
          ...only,
        })
        const page = await patiently(clock, signal, () => client.send(command, { abortSignal: signal }))
        from = page.LastEvaluatedKey
        const { Items: items = [], ScannedCount: scanned = 0 } = page
        await take(items)
        advance(scanned)
      } while (from !== undefined)
    }),
  )
}

/** The number of items as DynamoDB counts them every six hours. @returns undefined without the right to ask */
async function approximateCount({ client, tableName }: Data, signal: AbortSignal) {
  const command = new DescribeTableCommand({ TableName: tableName })
  // Only the progress needs it: what is wrong besides, the scan says.
  const reply = await client.send(command, { abortSignal: signal }).catch(() => undefined)
  return reply?.Table?.ItemCount
}

/**
 * Reads the keys and links of all users.
 *
 * @param take gets each page
 */
export const scanUsers = (
  data: Data,
  take: (users: Item[]) => void | Promise<void>,
  signal: AbortSignal,
): Promise<void> =>
  scanTable(data, items => take(items.filter(item => kindOf(item).kind === 'user')), signal, {
    ProjectionExpression: 'PK, SK, saml_provider_id, sso_provider_id',
    FilterExpression: 'SK = :user',
    ExpressionAttributeValues: { ':user': 'USER' },
  })
