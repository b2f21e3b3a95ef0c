import { abortable } from '../../lib/time.ts'
import type { FakeClock } from '../support/fake-clock.ts'
import { type Call, type Plan, type Reply, writesOf } from './faults.ts'

const failure = (facts: object) => Object.assign(new Error('injected'), facts)
const throttling = { name: 'ProvisionedThroughputExceededException', $metadata: { httpStatusCode: 400 } }
const serverError = { name: 'InternalServerError', $metadata: { httpStatusCode: 500 } }
const timeOut = { name: 'TimeoutError' }
const reset = { code: 'ECONNRESET' }

/** One fault at a time; what it holds back lands when `late` is called. */
export interface Faults {
  kinds: Record<string, (call: Call) => Promise<Reply>>
  /** Lets writes land that their sender has long given up. */
  late: () => Promise<void>
}

/** Everything that the way to DynamoDB does to a call, by name. */
export function faults(signal: AbortSignal, clock: FakeClock): Faults {
  const held: (() => Promise<unknown>)[] = []
  const givenUp = () => clock.thaw(() => abortable(new Promise<never>(() => {}), signal))
  const lost = (facts: object) => async (call: Call) => {
    await call.send()
    throw failure(facts)
  }
  const unsent = (facts: object) => () => Promise.reject(failure(facts))

  return {
    late: async () => {
      for (const land of held.splice(0)) await land().catch(() => {})
    },
    kinds: {
      'is throttled': unsent(throttling),
      'meets a server error': unsent(serverError),
      'meets a server error, and has landed': lost(serverError),
      'times out': unsent(timeOut),
      'times out, and has landed': lost(timeOut),
      'loses its connection': unsent(reset),
      'loses its reply': lost(reset),
      'is sent twice': async call => {
        await call.send().catch(() => {})
        return call.send()
      },
      stalls: givenUp,
      'stalls, and has landed': async call => {
        await call.send()
        return givenUp()
      },
      'stalls, and lands late': call => {
        held.push(() => call.send())
        return givenUp()
      },
      'is done by half': half,
      'is not done at all': none,
    },
  }
}

/** A fault of this kind at the n-th call. */
export const faultAt =
  ({ kinds }: Faults, at: Record<number, string>): Plan =>
  call =>
    (kinds[at[call.n] ?? ''] ?? (({ send }) => send()))(call)

/** What a batch leaves unprocessed when the table is busy: the second half of it. */
const half = (call: Call) => partly(call, items => items.length >> 1)
const none = (call: Call) => partly(call, () => 0)

async function partly({ operation, body, send }: Call, share: (items: unknown[]) => number): Promise<Reply> {
  const writes = writesOf(operation, body)
  if (writes !== undefined) {
    const done = share(writes.all)
    // DynamoDB refuses an empty batch, so that one is not sent.
    const { output } = done === 0 ? empty : await send(writes.only(done))
    const rest = writes.all.slice(done)
    if (operation === 'BatchExecuteStatement') {
      const Responses = [...(output.Responses as object[]), ...rest.map((_, index) => failed(index))]
      return { output: { ...output, Responses } }
    }
    const [table = ''] = Object.keys(body.RequestItems as object)
    const UnprocessedItems = { [table]: rest }
    return { output: { ...output, UnprocessedItems } }
  }
  if (operation === 'BatchGetItem') {
    const [[table, asked] = ['', undefined]] = Object.entries(body.RequestItems as object)
    const { Keys, ...options } = asked as { Keys: unknown[] }
    const done = share(Keys)
    const rest = { ...options, Keys: Keys.slice(done) }
    const part = { ...body, RequestItems: { [table]: { ...options, Keys: Keys.slice(0, done) } } }
    const reply = done === 0 ? empty : await send(part)
    return { ...reply, output: { ...reply.output, UnprocessedKeys: { [table]: rest } } }
  }
  return send()
}

const empty: Reply = { output: { Responses: [] } }

/** What DynamoDB says of a statement that it has not done, each by another of its codes. */
const failed = (index: number) => ({ Error: { Code: codes[index % codes.length], Message: 'injected' } })
const codes = [
  'ThrottlingError',
  'ProvisionedThroughputExceeded',
  'TransactionConflict',
  'RequestLimitExceeded',
  'InternalServerError',
]
