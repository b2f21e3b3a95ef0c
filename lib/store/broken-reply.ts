/** An incomplete reply, or one that cannot be read. Its text is not in the message, because it may contain personal data. */
class BrokenReply extends Error {
  override readonly name = 'BrokenReply'
  /** Makes @smithy/core treat the error as transient, like a lost connection. */
  readonly $retryable = { throttling: false }

  /** @param fault continues a sentence that begins with "the reply" */
  constructor(fault: string) {
    super(`the reply of DynamoDB ${fault}`)
  }
}

type Complete<T, K extends keyof T> = T & { [Member in K]-?: NonNullable<T[Member]> }

/**
 * Waits for a reply that has the given members. The SDK reads a reply without a body as `{}`, which would often be a valid
 * one. So each call asks for a member that every complete reply has, such as the consumed capacity.
 *
 * @throws BrokenReply when it has not, or cannot be read; any other error unchanged
 */
export async function completeReply<T extends object, K extends keyof T>(
  sent: Promise<T>,
  ...members: K[]
): Promise<Complete<T, K>> {
  const reply = await sent.catch((error: object) => {
    // The SDK adds the reply to what it throws while it reads one, and whose fault it is to what DynamoDB replies.
    throw '$response' in error && !('$fault' in error) ? new BrokenReply('cannot be read') : error
  })
  for (const member of members)
    if (reply[member] === undefined) throw new BrokenReply(`lacks ${String(member)}`)
  return reply as Complete<T, K>
}
