import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'

/** Any key will do for an engine on this machine. */
export const localAws = {
  region: 'eu-central-1',
  credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
}

export function connectTo(endpoint: string): DynamoDBDocumentClient {
  const client = new DynamoDBClient({
    ...localAws,
    endpoint,
    maxAttempts: 2,
    requestHandler: { connectionTimeout: 2000, requestTimeout: 5000, throwOnRequestTimeout: true },
  })
  return DynamoDBDocumentClient.from(client)
}
