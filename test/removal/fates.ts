import { abortable } from '../../lib/time.ts'
import type { FakeClock } from '../support/fake-clock.ts'
import { cancelled } from '../support/refusals.ts'
import { type Call, type Reply, replyOf } from '../support/test-client.ts'
import { donePartly, isBatch, isOfSome, throttledForSome } from './partly.ts'

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
  /** Sends a call while an operator has set the provider to active by hand. */
  whileReactivated(send: Call['send']): Promise<Reply>
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
  'is done in half': {
    applies: isBatch,
    happens: call => donePartly(call, (_, n, { length }) => n < length / 2),
  },
  'is not done': { applies: isBatch, happens: call => donePartly(call, () => false) },
  'leaves some unread': { applies: isBatch, happens: call => donePartly(call, key => !isOfSome(key)) },
  'is throttled for some': {
    applies: ({ operation }) => operation === 'TransactWriteItems',
    happens: throttledForSome,
  },
} satisfies Record<string, Fate>

/** The attempt goes on, or ends with the failure that says to send it again. */
export const edits = {
  'is sent while the provider is set to active by hand': any((call, { whileReactivated }) =>
    whileReactivated(call.send),
  ),
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

const fates: Record<string, Fate> = { ...crashes, ...passing, ...edits, ...stalls }
export type FateName = keyof (typeof crashes & typeof passing & typeof edits & typeof stalls)
export const namesOf = <N extends FateName>(kind: Record<N, Fate>) => Object.keys(kind) as N[]

/** A fate at the n-th call to which it can happen, at each when it is sent for the first time, or at each time. */
export type Fated = [name: FateName, at: number | 'first' | 'always']

const suspendedMs = 3_600_000

/** The fates of one attempt. */
export type Fates = ReturnType<typeof fatesOf>

export function fatesOf(
  fated: readonly Fated[],
  { clock, signal, whileReactivated }: Pick<Attempt, 'clock' | 'signal' | 'whileReactivated'>,
) {
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
    whileReactivated,
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
