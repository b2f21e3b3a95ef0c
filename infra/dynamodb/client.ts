import { devNull } from 'node:os'
import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'

/** Any key will do for an engine on this machine. */
export const localAws = {
  region: 'eu-central-1',
  credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
}

/** The same for a process of its own: the profile of whoever starts it must not decide what it does. */
export const localAwsEnvironment = {
  AWS_REGION: localAws.region,
  AWS_ACCESS_KEY_ID: localAws.credentials.accessKeyId,
  AWS_SECRET_ACCESS_KEY: localAws.credentials.secretAccessKey,
  AWS_CONFIG_FILE: devNull,
  AWS_SHARED_CREDENTIALS_FILE: devNull,
  AWS_EC2_METADATA_DISABLED: 'true',
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
