import { setMaxListeners } from 'node:events'
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import { abortable, type Clock } from '../../lib/time.ts'
import { hindranceOf } from './patience.ts'

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

  const expectAnswer = () => {
    cancel ??= clock.schedule(clock.nowMs() + maxMs, () => ending.abort(noAnswer()))
  }
  const note = (answer: object) => {
    maxMs = answerMaxMs
    cancel?.()
    cancel = undefined
    if (running > 0) expectAnswer()
    const sinceMs = clock.nowMs()
    const hindrance = hindranceOf(answer)
    if (hindrance !== undefined) waiting = { sinceMs, ...waiting, reason: hindrance }
    else waiting = running > 0 ? { reason: silence, sinceMs } : undefined
  }

  client.middlewareStack.add(
    next => async args => {
      ending.signal.throwIfAborted()
      running += 1
      expectAnswer()
      waiting ??= { reason: silence, sinceMs: clock.nowMs() }
      try {
        const reply = await abortable(next(args), ending.signal).finally(() => {
          running -= 1
        })
        note(reply.output)
        return reply
      } catch (error) {
        // Without a status it is no answer.
        const { $metadata } = error as { $metadata?: { httpStatusCode?: number } }
        if ($metadata?.httpStatusCode !== undefined) note(error as Error)
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
