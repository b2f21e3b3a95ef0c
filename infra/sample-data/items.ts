import { BatchWriteCommand, type DynamoDBDocumentClient, QueryCommand } from '@aws-sdk/lib-dynamodb'
import { isLinked } from '../../lib/domain/provider.ts'
import { edgeItem, type Item, providerItem, userItem } from '../../lib/store/items.ts'
import { providers } from '../../lib/store/keys.ts'
import { sampleProviders } from './providers.ts'
import { sampleUsers } from './users.ts'

const batchSize = 25

/** The sample data as the table holds it; the providers last, so that one that is listed has its users. */
export function sampleItems(): Item[] {
  const links = sampleProviders.map(provider => ({
    provider,
    userIds: sampleUsers.filter(user => isLinked(user, provider)).map(user => user.id),
  }))
  return [
    ...sampleUsers.map(userItem),
    ...links.flatMap(({ provider, userIds }) => userIds.map(id => edgeItem(provider.id, id))),
    ...links.map(({ provider, userIds }) => providerItem(provider, userIds.length)),
  ]
}

export async function putSampleItems(client: DynamoDBDocumentClient, tableName: string): Promise<void> {
  const items = sampleItems()
  for (let from = 0; from < items.length; from += batchSize) {
    const requests = items.slice(from, from + batchSize).map(Item => ({ PutRequest: { Item } }))
    await client.send(new BatchWriteCommand({ RequestItems: { [tableName]: requests } }))
  }
}

/** Whether any provider is, or was, in the table. */
export async function holdsProviders(client: DynamoDBDocumentClient, tableName: string): Promise<boolean> {
  const { Count } = await client.send(
    new QueryCommand({
      TableName: tableName,
      KeyConditionExpression: 'PK = :partition',
      ExpressionAttributeValues: { ':partition': providers.PK },
      ConsistentRead: true,
      Limit: 1,
    }),
  )
  return Count !== 0
}
