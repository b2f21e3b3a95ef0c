import { setMaxListeners } from 'node:events'
import type { BatchStatementResponse } from '@aws-sdk/client-dynamodb'
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import { abortable, type Clock } from '../../lib/time.ts'
import { hindranceIn, hindranceOf } from './patience.ts'

const tellAfterMs = 2000
const silence = 'DynamoDB does not answer'

/** What the calls of this process wait for. It runs one command, which has one table. */
let waiting: { reason: string; sinceMs: number } | undefined

/** What the calls of the command have waited for, without a success, for two seconds or more. */
export const waitingFor = (nowMs: number): string | undefined =>
  waiting !== undefined && nowMs - waiting.sinceMs >= tellAfterMs ? waiting.reason : undefined

/**
 * Watches the calls of a client for `waitingFor`, and ends them when DynamoDB does not answer.
 *
 * @param answerMaxMs the longest time without an answer to any call, in milliseconds
 * @param firstAnswerMaxMs the same before the first answer
 * @param noAnswer makes the error with which the calls end; it must not look as if it could pass
 * @returns a function that ends this
 */
export function watchCalls(
  client: DynamoDBDocumentClient,
  clock: Clock,
  { answerMaxMs, firstAnswerMaxMs }: { answerMaxMs: number; firstAnswerMaxMs: number },
  noAnswer: () => Error,
): () => void {
  const ending = new AbortController()
  setMaxListeners(0, ending.signal)
  let running = 0
  let maxMs = firstAnswerMaxMs
  let cancel: (() => void) | undefined

  const begin = () => {
    ending.signal.throwIfAborted()
    running += 1
    expectAnswer()
    waiting ??= { reason: silence, sinceMs: clock.nowMs() }
  }
  const expectAnswer = () => {
    cancel ??= clock.schedule(clock.nowMs() + maxMs, () => ending.abort(noAnswer()))
  }
  /** @param hindrance why DynamoDB refused the call */
  const note = (hindrance: string | undefined) => {
    maxMs = answerMaxMs
    cancel?.()
    cancel = undefined
    if (running > 0) expectAnswer()
    const sinceMs = clock.nowMs()
    if (hindrance !== undefined) waiting = { sinceMs, ...waiting, reason: hindrance }
    else waiting = running > 0 ? { reason: silence, sinceMs } : undefined
  }

  client.middlewareStack.add(
    next => async args => {
      begin()
      try {
        const reply = await abortable(next(args), ending.signal).finally(() => {
          running -= 1
        })
        note(hindranceOfBatch(reply.output))
        return reply
      } catch (error) {
        if (isAnswer(error as object)) note(hindranceOf(error as Error))
        throw error
      }
    },
    { step: 'initialize', priority: 'high', name: 'watchCalls' },
  )
  return () => {
    cancel?.()
    waiting = undefined
  }
}

const isAnswer = ({ $metadata }: { $metadata?: { httpStatusCode?: number } }) =>
  $metadata?.httpStatusCode !== undefined

/** Why none of the statements of a batch was executed; undefined when some were. DynamoDB refuses other kinds of batches then. */
function hindranceOfBatch(output: object): string | undefined {
  const responses: BatchStatementResponse[] =
    'Responses' in output && Array.isArray(output.Responses) ? output.Responses : []
  const codes = responses.map(one => one.Error?.Code)
  return codes.every(code => code !== undefined) ? hindranceIn(codes) : undefined
}
