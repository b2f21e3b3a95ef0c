import { abortable } from '../../lib/time.ts'
import type { FakeClock } from '../support/fake-clock.ts'
import {
  type Call,
  type Keys,
  type Plan,
  type Put,
  type Reply,
  unprocessedKeys,
  unprocessedPuts,
  writesOf,
} from './faults.ts'

const failure = (facts: object) => Object.assign(new Error('injected'), facts)
const throttling = { name: 'ProvisionedThroughputExceededException', $metadata: { httpStatusCode: 400 } }
const serverError = { name: 'InternalServerError', $metadata: { httpStatusCode: 500 } }
const timeOut = { name: 'TimeoutError' }
const reset = { code: 'ECONNRESET' }

/** Injected faults by name. Held calls are sent when `releaseHeld` is called. */
export interface Faults {
  kinds: Record<string, (call: Call) => Promise<Reply>>
  /** Sends the held calls, whose senders have given up. */
  releaseHeld: () => Promise<void>
}

/** The faults between the service and DynamoDB. */
export function faults(signal: AbortSignal, clock: FakeClock): Faults {
  const held: (() => Promise<unknown>)[] = []
  const stalled = () => clock.thaw(() => abortable(new Promise<never>(() => {}), signal))
  const lost = (facts: object) => async (call: Call) => {
    await call.send()
    throw failure(facts)
  }
  const unsent = (facts: object) => () => Promise.reject(failure(facts))

  return {
    releaseHeld: async () => {
      for (const sendHeld of held.splice(0)) await sendHeld().catch(() => {})
    },
    kinds: {
      'is throttled': unsent(throttling),
      'gets a server error': unsent(serverError),
      'gets a server error after it was done': lost(serverError),
      'times out': unsent(timeOut),
      'times out after it was done': lost(timeOut),
      'loses its connection': unsent(reset),
      'loses its reply': lost(reset),
      'is sent twice': async call => {
        await call.send().catch(() => {})
        return call.send()
      },
      stalls: stalled,
      'stalls after it was done': async call => {
        await call.send()
        return stalled()
      },
      'stalls and is done late': call => {
        held.push(() => call.send())
        return stalled()
      },
      'is done in half': half,
      'is not done': none,
    },
  }
}

/** A fault of this kind at the n-th call. */
export const faultAt =
  ({ kinds }: Faults, at: Record<number, string>): Plan =>
  call =>
    (kinds[at[call.n] ?? ''] ?? (({ send }) => send()))(call)

/** A throttled batch: the second half is unprocessed. */
const half = (call: Call) => partly(call, items => items.length >> 1)
const none = (call: Call) => partly(call, () => 0)

async function partly({ operation, body, send }: Call, share: (items: unknown[]) => number): Promise<Reply> {
  const writes = writesOf(operation, body)
  if (writes !== undefined) {
    const done = share(writes.all)
    // DynamoDB refuses an empty batch, so it is not sent.
    const { output } = done === 0 ? empty : await send(writes.only(done))
    const rest = writes.all.slice(done)
    if (operation === 'BatchExecuteStatement') {
      const Responses = [...(output.Responses as object[]), ...rest.map((_, index) => failed(index))]
      return { output: { ...output, Responses } }
    }
    const [table = ''] = Object.keys(body.RequestItems as object)
    const UnprocessedItems = { [table]: unprocessedPuts(rest as Put[]) }
    return { output: { ...output, UnprocessedItems } }
  }
  if (operation === 'BatchGetItem') {
    const [[table, request] = ['', undefined]] = Object.entries(body.RequestItems as object)
    const { Keys, ...options } = request as Keys
    const done = share(Keys)
    const rest = unprocessedKeys({ ...options, Keys: Keys.slice(done) })
    const part = { ...body, RequestItems: { [table]: { ...options, Keys: Keys.slice(0, done) } } }
    const reply = done === 0 ? empty : await send(part)
    return { ...reply, output: { ...reply.output, UnprocessedKeys: { [table]: rest } } }
  }
  return send()
}

const empty: Reply = { output: { Responses: [] } }

/** DynamoDB's reply for a statement that was not executed, with one of its error codes in turn. */
const failed = (index: number) => ({ Error: { Code: codes[index % codes.length], Message: 'injected' } })
const codes = [
  'ThrottlingError',
  'ProvisionedThroughputExceeded',
  'TransactionConflict',
  'RequestLimitExceeded',
  'InternalServerError',
]
