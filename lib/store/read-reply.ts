import type { BatchGetItemCommand, DynamoDBClient, QueryCommand } from '@aws-sdk/client-dynamodb'
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'

/**
 * Sends a command with plain attribute values through the document client, and reads its reply in one pass: the SDK passes
 * through each value to find bytes, and the document client once more to convert it.
 *
 * @param command is sent once
 * @param read converts the parsed reply; what it throws makes the reply a broken one
 */
export function sendAndRead<T extends object>(
  client: DynamoDBDocumentClient,
  command: QueryCommand | BatchGetItemCommand,
  read: (reply: never) => T,
  abortSignal: AbortSignal,
): Promise<T> {
  const { add } = command.middlewareStack as DynamoDBClient['middlewareStack']
  let result: T | undefined
  add(
    next => async args => {
      const replied = await next(args)
      const response = replied.response as { statusCode: number; body: Uint8Array }
      if (response.statusCode === 200) {
        result = read(JSON.parse(utf8.decode(response.body)) as never)
        response.body = nothing
      }
      return replied
    },
    { step: 'deserialize', name: 'readReply' },
  )
  add(
    next => async args => {
      const replied = await next(args)
      Object.assign(replied.output as object, result)
      return replied
    },
    { step: 'deserialize', priority: 'high', name: 'takeReply' },
  )
  return client.send(command as QueryCommand, { abortSignal }) as Promise<object> as Promise<T>
}

const utf8 = new TextDecoder()
/** What the SDK reads as a reply without results. */
const nothing = new Uint8Array()
