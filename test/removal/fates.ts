import { abortable } from '../../lib/time.ts'
import type { FakeClock } from '../support/fake-clock.ts'
import { cancelled } from '../support/refusals.ts'
import { type Call, outputOf, type Reply, replyOf } from '../support/test-client.ts'

/** The process ends. */
export class Crash extends Error {}

/** What the fates of an attempt have to know, and do to it. */
interface Attempt {
  clock: FakeClock
  /** Aborts when the attempt's time is over. */
  signal: AbortSignal
  /** Ends the process: it sends no further call. */
  crash(): never
  /** Stops the process until long after its time, so that it must send no further call. */
  suspend(): void
  /** Takes a call that is sent when its sender has given up. */
  holdBack(send: () => Promise<unknown>): void
}

/** What happens to a call. */
export interface Fate {
  /** The calls to which it can happen. */
  applies: (call: Call) => boolean
  happens: (call: Call, attempt: Attempt) => Promise<Reply>
}

const any = (happens: Fate['happens']): Fate => ({ applies: () => true, happens })
/** What the client gets instead of a reply: a reply of DynamoDB's own, or an error of the connection. */
type Instead = Reply | Error
const given = (instead: Instead) => {
  if (instead instanceof Error) throw instead
  return instead
}
const unsent = (instead: Instead) => any(async () => given(instead))
const lost = (instead: Instead) =>
  any(async call => {
    await call.send()
    return given(instead)
  })
const stall = ({ clock, signal }: Attempt) =>
  clock.thaw(() => abortable(new Promise<never>(() => {}), signal))

const throttling = replyOf({ __type: 'ProvisionedThroughputExceededException' }, 400)
const conflict = cancelled('TransactionConflict')
const serverError = replyOf({ __type: 'InternalServerError' }, 500)
const timeOut = Object.assign(new Error('injected'), { name: 'TimeoutError', code: 'ETIMEDOUT' })
const reset = Object.assign(new Error('injected'), { code: 'ECONNRESET' })

/** The process ends at a call. */
export const crashes = {
  'crashes before it': any((_, { crash }) => crash()),
  'crashes after it': any(async (call, { crash }) => {
    await call.send()
    return crash()
  }),
} satisfies Record<string, Fate>

/** The attempt goes on, and sends the call again. */
export const passing = {
  'is throttled': unsent(throttling),
  'gets a server error': unsent(serverError),
  'gets a server error after it was done': lost(serverError),
  'times out': unsent(timeOut),
  'times out after it was done': lost(timeOut),
  'loses its connection': unsent(reset),
  'loses its reply': lost(reset),
  'is sent twice': any(async call => {
    await call.send().catch(() => {})
    return call.send()
  }),
  'meets another transaction': {
    applies: ({ operation }) => operation === 'TransactWriteItems',
    happens: async () => conflict,
  },
  'is done in half': { applies: isBatch, happens: call => donePartly(call, 1 / 2) },
  'is not done': { applies: isBatch, happens: call => donePartly(call, 0) },
} satisfies Record<string, Fate>

/** The attempt's time is over before the call has a reply. */
export const stalls = {
  stalls: any((_, attempt) => stall(attempt)),
  'stalls after it was done': any(async (call, attempt) => {
    await call.send()
    return stall(attempt)
  }),
  'stalls and is done late': any((call, attempt) => {
    attempt.holdBack(() => call.sendLate())
    return stall(attempt)
  }),
  'is the last one before the process is suspended': any(async (call, { suspend }) => {
    const reply = await call.send()
    suspend()
    return reply
  }),
} satisfies Record<string, Fate>

const fates: Record<string, Fate> = { ...crashes, ...passing, ...stalls }
export type FateName = keyof typeof crashes | keyof typeof passing | keyof typeof stalls
export const namesOf = <N extends FateName>(kind: Record<N, Fate>) => Object.keys(kind) as N[]

/** A fate at the n-th call to which it can happen, at each when it is sent for the first time, or at each time. */
export type Fated = [name: FateName, at: number | 'first' | 'always']

const suspendedMs = 3_600_000

/** The fates of one attempt. */
export type Fates = ReturnType<typeof fatesOf>

/** @param signal aborts when the time of the attempt is over */
export function fatesOf(fated: readonly Fated[], clock: FakeClock, signal: AbortSignal) {
  const counters = fated.map(([name, at]) => ({ ...(fates[name] as Fate), at, calls: 0, has: false }))
  const sent = new Set<string>()
  const held: (() => Promise<unknown>)[] = []
  let isCrashed = false
  let isSuspended = false
  let sentLate = 0
  const attempt: Attempt = {
    clock,
    signal,
    crash() {
      isCrashed = true
      throw new Crash()
    },
    suspend() {
      isSuspended = true
      clock.suspend(suspendedMs)
    },
    holdBack: send => void held.push(send),
  }
  return {
    /** Whether each of them has happened. */
    happened: () => counters.every(({ has }) => has),
    /** Sends the calls that were held back. */
    release: async () => {
      for (const send of held.splice(0)) await send()
    },
    /** The number of calls that were sent after the process had been suspended. */
    sentLate: () => sentLate,
    async plan(call: Call): Promise<Reply> {
      if (isCrashed) throw new Crash()
      if (isSuspended) sentLate += 1
      const text = `${call.operation} ${JSON.stringify(call.body)}`
      const isFirst = !sent.has(text)
      sent.add(text)
      const due = counters.filter(one => one.applies(call) && isDue(one.at, ++one.calls, isFirst))
      for (const one of due) one.has = true
      return due[0] === undefined ? call.send() : due[0].happens(call, attempt)
    },
  }
}

const isDue = (at: Fated[1], n: number, isFirst: boolean) =>
  at === 'always' || (at === 'first' ? isFirst : n === at)

interface Batch {
  items: object[]
  /** The same batch with other items. */
  having: (items: object[]) => Call['body']
}

/** The batch of a call; undefined for another operation. */
export function batchOf({ operation, body }: Call): Batch | undefined {
  if (operation !== 'BatchGetItem') return undefined
  const [[table, request]] = Object.entries(body.RequestItems as object) as [[string, { Keys: object[] }]]
  return {
    items: request.Keys,
    having: Keys => ({ ...body, RequestItems: { [table]: { ...request, Keys } } }),
  }
}

function isBatch(call: Call) {
  return batchOf(call) !== undefined
}

/** Sends this share of a batch, the first ones. @returns DynamoDB's reply to a batch that was done in part */
async function donePartly(call: Call, share: number): Promise<Reply> {
  const { items, having } = batchOf(call) as Batch
  const count = Math.floor(items.length * share)
  // DynamoDB refuses an empty batch.
  const { Responses = [] } = count === 0 ? {} : outputOf(await call.send(having(items.slice(0, count))))
  const left = items.slice(count)
  return replyOf({ Responses: { ...Responses }, UnprocessedKeys: having(left).RequestItems })
}
