import { devNull } from 'node:os'
import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'

/** Any key will do for an engine on this machine. */
export const localAws = {
  region: 'eu-central-1',
  credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
}

/** For a process of its own: no profile, and no credentials but those of its environment. */
const noAwsConfiguration = {
  AWS_CONFIG_FILE: devNull,
  AWS_SHARED_CREDENTIALS_FILE: devNull,
  AWS_EC2_METADATA_DISABLED: 'true',
}

/** The same key for a process of its own. */
export const localAwsEnvironment = {
  AWS_REGION: localAws.region,
  AWS_ACCESS_KEY_ID: localAws.credentials.accessKeyId,
  AWS_SECRET_ACCESS_KEY: localAws.credentials.secretAccessKey,
  ...noAwsConfiguration,
}

/**
 * The environment without anything of the caller's AWS account: profile, credentials, region and endpoints. It has no
 * proxy either, which could not reach a server on this machine.
 */
export function withoutCallersAws(own: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const others = Object.entries(own).filter(([name]) => !/^aws_|^(https?_|all_)?proxy$/i.test(name))
  return { ...Object.fromEntries(others), ...noAwsConfiguration }
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
