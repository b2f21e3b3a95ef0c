import { devNull } from 'node:os'
import { openClient } from '../../lib/store/client.ts'

/** Credentials for an emulator on this machine, which accepts any. @internal */
export const localAws = {
  region: 'eu-central-1',
  credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
}

/** Variables that keep a child process from reading AWS profiles and instance credentials. */
const noAwsConfiguration = {
  AWS_CONFIG_FILE: devNull,
  AWS_SHARED_CREDENTIALS_FILE: devNull,
  AWS_EC2_METADATA_DISABLED: 'true',
}

/** The same credentials as environment variables of a child process. */
export const localAwsEnvironment = {
  AWS_REGION: localAws.region,
  AWS_DEFAULT_REGION: localAws.region, // for version 1 of the AWS CLI
  AWS_ACCESS_KEY_ID: localAws.credentials.accessKeyId,
  AWS_SECRET_ACCESS_KEY: localAws.credentials.secretAccessKey,
  ...noAwsConfiguration,
}

/**
 * The environment without any AWS setting of the caller: profile, credentials, region and endpoints; and without a proxy,
 * which could not reach a server on this machine.
 */
export function withoutCallersAws(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const others = Object.entries(env).filter(([name]) => !/^aws_|^(https?_|all_)?proxy$/i.test(name))
  return { ...Object.fromEntries(others), ...noAwsConfiguration }
}

/** A page of a large table can take DynamoDB Local many seconds. */
const requestTimeoutMs = 60_000

export const connectTo = (endpoint: string) => openClient({ endpoint, ...localAws }, requestTimeoutMs)
