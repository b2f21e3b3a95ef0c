import { crc32 } from 'node:zlib'
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb'

/** A reply that is not what DynamoDB sent. Its text is not told: it could hold anything. */
export class BrokenReply extends Error {
  override readonly name = 'BrokenReply'
  /** By this member @smithy/core knows an error that passes, as a lost connection does. */
  readonly $retryable = { throttling: false }

  /** @param fault continues a sentence that begins with "the reply" */
  constructor(fault: string) {
    super(`the reply of DynamoDB ${fault}`)
  }
}

/**
 * Has a client throw BrokenReply instead of believing a reply that is no JSON object, that cannot be read, or whose
 * checksum is wrong. The SDK reads a reply without a body as one without results, and does not verify checksums.
 */
export function refuseBrokenReplies({ middlewareStack, config }: DynamoDBClient): void {
  middlewareStack.add(
    next => async args => {
      const result = await next(args)
      const response = result.response as { headers: Record<string, string>; body: unknown }
      const bytes = await config.streamCollector(response.body)
      verify(bytes, response.headers[checksumHeader])
      response.body = bytes
      return result
    },
    // Beneath what reads the reply: the checksum is that of the bytes as they were sent.
    { step: 'deserialize', priority: 'low', name: 'verifyReply' },
  )
  middlewareStack.add(
    next => args =>
      next(args).catch((error: object) => {
        throw isUnread(error) ? new BrokenReply('cannot be read') : error
      }),
    { step: 'deserialize', priority: 'high', name: 'refuseUnreadReply' },
  )
}

/** CRC-32 as a decimal number; DynamoDB sends it with every reply, emulators with some. */
const checksumHeader = 'x-amz-crc32'
const openingBrace = 0x7b

function verify(bytes: Uint8Array, checksum: string | undefined): void {
  if (checksum !== undefined && Number(checksum) !== crc32(bytes))
    throw new BrokenReply('does not have its checksum')
  if (bytes[0] !== openingBrace) throw new BrokenReply('is no JSON object')
}

/** Whether the error is the SDK's about a reply that it could not read, or an error of DynamoDB's without a name. */
const isUnread = (error: object) =>
  '$response' in error && (!('$fault' in error) || ('name' in error && error.name === 'Unknown'))

type Having<T, K extends keyof T> = T & { [Member in K]-?: NonNullable<T[Member]> }

/**
 * The output, if it has all of these members.
 *
 * @throws BrokenReply
 */
export function having<T, K extends keyof T>(output: T, ...members: K[]): Having<T, K> {
  for (const member of members)
    if (output[member] === undefined) throw new BrokenReply(`lacks ${String(member)}`)
  return output as Having<T, K>
}
