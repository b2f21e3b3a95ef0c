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

/** "Common Errors" of the DynamoDB API Reference, and the SDK's own. */
const ofCredentials =
  /^(CredentialsProvider|TokenProvider)Error$|^(ExpiredToken|UnrecognizedClient|InvalidSignature|IncompleteSignature|MissingAuthenticationToken)Exception$/

/** Throws one sentence for an error of DynamoDB, the SDK or the network; rethrows errors of this project. */
export function explain(error: AwsError, { tableName, where, variable }: Place): never {
  const cause: AwsError = error instanceof Failure && error.cause instanceof Error ? error.cause : error
  const reason = cause.message.replace(/\.$/, '')
  if (cause.name === 'ResourceNotFoundException')
    throw new Error(`There is no table ${tableName} ${where}: check --table and ${variable}.`)
  if (cause.name === 'AccessDeniedException')
    throw new Error(`${reason}. Give your credentials the right to do this on the table.`)
  if (ofCredentials.test(cause.name))
    throw new Error(
      `No AWS credentials can be used (${reason}): check AWS_PROFILE, or AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN, and the clock of this machine.`,
    )
  const isFromOutside =
    cause.$metadata !== undefined || cause instanceof SyntaxError || cause.name === 'TimeoutError'
  if (cause !== error || isFromOutside || (cause.code !== undefined && cause.path === undefined))
    explainEngine(where, variable)(error)
  throw error
}
