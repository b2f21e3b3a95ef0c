import { Failure } from '../../lib/domain/failure.ts'
import { explainEngine } from '../dynamodb/endpoint.ts'

/** A table of a command, and where it is. */
export interface Place {
  tableName: string
  /** Such as `in eu-central-1`. */
  where: string
  /** The variable that says where it is. */
  variable: string
}

type AwsError = NodeJS.ErrnoException & { $metadata?: unknown }

/** The sentences for errors by their names, as the "Common Errors" of the DynamoDB API Reference and the SDK have them. */
const sentences: Record<string, (place: Place, reason: string) => string> = {
  ResourceNotFoundException: ({ tableName, where, variable }) =>
    `There is no table ${tableName} ${where}: check --table and ${variable}.`,
  CredentialsProviderError: noCredentials,
  TokenProviderError: noCredentials,
  ExpiredTokenException: () =>
    'Your AWS credentials have expired: sign in again, or renew AWS_SESSION_TOKEN.',
  UnrecognizedClientException: ({ where }) =>
    `AWS does not know your credentials ${where}: check AWS_ACCESS_KEY_ID and AWS_SESSION_TOKEN, or AWS_PROFILE, and that your account uses the region.`,
  InvalidSignatureException: (_, reason) =>
    /expired|not yet current/i.test(reason)
      ? 'The clock of this machine differs from that of AWS by minutes: set it.'
      : 'AWS refuses your signature: check AWS_SECRET_ACCESS_KEY.',
  MissingAuthenticationTokenException: () =>
    'AWS received no credentials: set AWS_PROFILE, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.',
  IncompleteSignatureException: () =>
    'AWS cannot read your credentials: check AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY for characters that do not belong there.',
  AccessDeniedException: (_, reason) => `${reason}. Give your credentials the right to do this on the table.`,
}

function noCredentials(_: Place, reason: string): string {
  return `No AWS credentials can be used (${reason}): set AWS_PROFILE, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.`
}

/** Throws one sentence for an error of DynamoDB, the SDK or the network; rethrows errors of this project. */
export function explain(error: AwsError, place: Place): never {
  const cause: AwsError = error instanceof Failure && error.cause instanceof Error ? error.cause : error
  const sentence = sentences[cause.name]
  if (sentence !== undefined) throw new Error(sentence(place, cause.message.replace(/\.$/, '')))
  const isFromOutside =
    cause.$metadata !== undefined || cause instanceof SyntaxError || cause.name === 'TimeoutError'
  if (cause !== error || isFromOutside || (cause.code !== undefined && cause.path === undefined))
    explainEngine(place.where, place.variable)(error)
  throw error
}
