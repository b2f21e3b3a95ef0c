import { crc32 } from 'node:zlib'
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb'

/** A damaged or incomplete reply. Its text is not in the message, because it may contain personal data. */
export class BrokenReply extends Error {
  override readonly name = 'BrokenReply'
  /** Makes @smithy/core treat the error as transient, like a lost connection. */
  readonly $retryable = { throttling: false }

  /** @param fault continues a sentence that begins with "the reply" */
  constructor(fault: string) {
    super(`the reply of DynamoDB ${fault}`)
  }
}

/**
 * Makes a client throw BrokenReply for a reply that is not a JSON object, cannot be read, or has a wrong checksum. The SDK
 * reads a reply without a body as one without results, and does not verify checksums.
 */
export function refuseBrokenReplies({ middlewareStack, config }: DynamoDBClient): void {
  middlewareStack.add(
    (next, context) => async args => {
      const result = await next(args)
      const response = result.response as { headers: Record<string, string>; body: unknown }
      const bytes = await config.streamCollector(response.body)
      verify(bytes, response.headers[checksumHeader])
      response.body = bytes
      context[isVerified] = true
      return result
    },
    // Before the SDK's deserializer: the checksum is of the bytes as they were sent.
    { step: 'deserialize', priority: 'low', name: 'verifyReply' },
  )
  middlewareStack.add(
    (next, context) => args =>
      next(args).catch((error: Error) => {
        throw context[isVerified] === true && !isOfDynamoDB(error) ? new BrokenReply('cannot be read') : error
      }),
    // After the document client's conversion, which throws an error, too.
    { step: 'deserialize', priority: 'high', name: 'refuseUnreadReply' },
  )
}

/** The member of a call's context: its reply has arrived, and its checksum is right. */
const isVerified = 'replyIsVerified'

/** CRC-32 as a decimal number; DynamoDB sends it with every reply, emulators with some. */
const checksumHeader = 'x-amz-crc32'
const openingBrace = 0x7b

function verify(bytes: Uint8Array, checksum: string | undefined): void {
  if (checksum !== undefined && Number(checksum) !== crc32(bytes))
    throw new BrokenReply('has a wrong checksum')
  if (bytes[0] !== openingBrace) throw new BrokenReply('is not a JSON object')
}

/** Whether it is an error that DynamoDB replied, with a name. */
const isOfDynamoDB = (error: Error) => '$fault' in error && error.name !== 'Unknown'

type Having<T, K extends keyof T> = T & { [Member in K]-?: NonNullable<T[Member]> }

/**
 * Checks that an output has the given members.
 *
 * @throws BrokenReply
 */
export function having<T, K extends keyof T>(output: T, ...members: K[]): Having<T, K> {
  for (const member of members)
    if (output[member] === undefined) throw new BrokenReply(`lacks ${String(member)}`)
  return output as Having<T, K>
}

/** Checks that an item has the requested key. @throws BrokenReply */
export function at<T extends Values>(key: Values, item: T): T {
  if (item.PK !== key.PK || item.SK !== key.SK) throw aboutAnother()
  return item
}

/** The reply has an item that was not asked for. */
export const aboutAnother = () => new BrokenReply('is about another item')

type Values = Record<string, unknown>
