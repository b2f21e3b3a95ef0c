import { ScanCommand, type ScanCommandInput } from '@aws-sdk/lib-dynamodb'
import { forEachConcurrently } from '../../lib/concurrency.ts'
import type { Item } from '../../lib/store/items.ts'
import type { Data } from './open-data.ts'
import { withPatience } from './patience.ts'
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
 * Scans the whole table, strongly consistent, in any order.
 *
 * @param take gets each page; pages of other segments are read meanwhile
 * @param only which items and attributes are read; default: all
 */
export async function scanTable(
  { clock, client, tableName }: Data,
  take: (items: Item[]) => void | Promise<void>,
  signal: AbortSignal,
  only: Pick<
    ScanCommandInput,
    'ProjectionExpression' | 'FilterExpression' | 'ExpressionAttributeValues'
  > = {},
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
        ...only,
      })
      const page = await withPatience(clock, signal, () => client.send(command, { abortSignal: signal }))
      from = page.LastEvaluatedKey
      await take(page.Items ?? [])
    } while (from !== undefined)
  }
  await forEachConcurrently(Array(segments).keys(), segmentsAtOnce, readSegment)
}

/**
 * Reads the keys and links of all users, as a phase of a command.
 *
 * @param take gets each page
 * @param condition of the users who are read; default: all
 */
export const scanUsers = (
  data: Data,
  take: (users: Item[]) => void | Promise<void>,
  signal: AbortSignal,
  condition?: string,
): Promise<void> =>
  data.phase('users in the table', advance =>
    scanTable(
      data,
      async items => {
        advance(items.length)
        await take(items.filter(item => kindOf(item).kind === 'user'))
      },
      signal,
      {
        ProjectionExpression: 'PK, SK, saml_provider_id, sso_provider_id',
        FilterExpression: ['SK = :user', ...(condition === undefined ? [] : [condition])].join(' AND '),
        ExpressionAttributeValues: { ':user': 'USER' },
      },
    ),
  )

/** The condition that a user has a link. */
export const isLinkedCondition = '(attribute_exists(saml_provider_id) OR attribute_exists(sso_provider_id))'
