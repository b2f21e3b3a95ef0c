import { AsyncLocalStorage } from 'node:async_hooks'
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'

/** One call on its way; `send` lets it through, once or more, with another body if one is given. */
export interface Call {
  /** Counts the calls of this plan, from 1. */
  n: number
  /** The operation's name, such as BatchWriteItem. */
  operation: string
  /** The operation's input, in the form of the wire. */
  body: Record<string, unknown>
  send: (body?: Record<string, unknown>) => Promise<Reply>
}

/** The output, as the SDK gives it. */
export type Reply = { output: Record<string, unknown> }

/** What happens to a call. */
export type Plan = (call: Call) => Promise<Reply>

const plans = new AsyncLocalStorage<{ plan: Plan; calls: number }>()

/** Lets plans decide what becomes of this client's calls, below everything the SDK and the store do. */
export function openToFaults(client: DynamoDBDocumentClient) {
  client.middlewareStack.add(
    next => args => {
      const here = plans.getStore()
      if (here === undefined) return next(args)
      here.calls += 1
      const request = args.request as { body: Uint8Array; headers: Record<string, string> }
      const call: Call = {
        n: here.calls,
        operation: String(request.headers['x-amz-target']).replace(/^.*\./, ''),
        body: JSON.parse(new TextDecoder().decode(request.body)),
        send: body =>
          next(body === undefined ? args : { ...args, request: withBody(request, body) }) as Promise<Reply>,
      }
      return here.plan(call) as unknown as ReturnType<typeof next>
    },
    // Before the request is measured and signed.
    { step: 'serialize', priority: 'low', name: 'faults' },
  )
}

/** Does the work under a plan; other work, also beside it, is not touched. */
export async function under<T>(plan: Plan, work: () => Promise<T>): Promise<{ result: T; calls: number }> {
  const here = { plan, calls: 0 }
  return { result: await plans.run(here, work), calls: here.calls }
}

/** Looks at the table, whatever plan is in force. */
export const outside = <T>(look: () => Promise<T>): Promise<T> => plans.exit(look)

function withBody<R extends object>(request: R, body: object): R {
  return Object.assign(Object.create(Object.getPrototypeOf(request)), request, {
    body: Buffer.from(JSON.stringify(body)),
  })
}

export class Crash extends Error {}

/**
 * The process dies at its n-th call: before it is sent, or after it has landed but before its reply was heard; or at its
 * n-th batch of writes, of which only the first half lands.
 */
export type Moment = 'before' | 'amid' | 'after'

export function crashAt(n: number, moment: Moment): { plan: Plan; happened: () => boolean } {
  let dead = false
  let batches = 0
  return {
    happened: () => dead,
    plan: async ({ n: call, operation, body, send }) => {
      if (dead) throw new Crash()
      const writes = writesOf(operation, body)
      if (writes !== undefined) batches += 1
      if (moment === 'amid' ? writes === undefined || batches !== n : call !== n) return send()
      dead = true
      if (moment === 'after') await send()
      const half = (writes?.all.length ?? 0) >> 1
      if (moment === 'amid' && half > 0) await send(writes?.only(half))
      throw new Crash()
    },
  }
}

/** The writes of a batch, and the batch of the first few of them alone; undefined for another operation. */
export function writesOf(operation: string, body: Record<string, unknown>) {
  if (operation === 'BatchExecuteStatement') {
    const all = body.Statements as unknown[]
    return { all, only: (count: number) => ({ ...body, Statements: all.slice(0, count) }) }
  }
  if (operation !== 'BatchWriteItem') return undefined
  const [[table, all] = ['', []]] = Object.entries(body.RequestItems as Record<string, unknown[]>)
  return { all, only: (count: number) => ({ ...body, RequestItems: { [table]: all.slice(0, count) } }) }
}
