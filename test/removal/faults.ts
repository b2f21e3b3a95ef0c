import { AsyncLocalStorage } from 'node:async_hooks'
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import { unmarshall } from '@aws-sdk/util-dynamodb'
import type { Attributes } from './item-size.ts'

/** One call before it is sent; `send` sends it, once or more, with the given body or its own. */
export interface Call {
  /** The number of the call in this plan, from 1. */
  n: number
  /** The operation's name, such as BatchWriteItem. */
  operation: string
  /** The operation's input as sent. */
  body: Record<string, unknown>
  send: (body?: Record<string, unknown>) => Promise<Reply>
}

/** The output as the document client returns it: with native values. */
export type Reply = { output: Record<string, unknown> }

/** Decides what happens to a call. */
export type Plan = (call: Call) => Promise<Reply>

const plans = new AsyncLocalStorage<{ plan: Plan; calls: number }>()

/** Lets plans decide what happens to this client's calls. */
export function injectFaults(client: DynamoDBDocumentClient) {
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
    // Before the request's length is set and the request is signed.
    { step: 'serialize', priority: 'low', name: 'faults' },
  )
}

/** Runs the work with a plan, which does not apply to other work. */
export async function withPlan<T>(plan: Plan, work: () => Promise<T>): Promise<{ result: T; calls: number }> {
  const here = { plan, calls: 0 }
  return { result: await plans.run(here, work), calls: here.calls }
}

/** Runs the work without the current plan. */
export const withoutPlan = <T>(work: () => Promise<T>): Promise<T> => plans.exit(work)

function withBody<R extends object>(request: R, body: object): R {
  return Object.assign(Object.create(Object.getPrototypeOf(request)), request, {
    body: Buffer.from(JSON.stringify(body)),
  })
}

export class Crash extends Error {}

/**
 * When the process crashes: before its n-th call is sent, after that call was done but before its reply, or in its n-th
 * batch of writes, of which only the first half is done.
 */
export type Moment = 'before' | 'during' | 'after'

export function crashAt(n: number, moment: Moment): { plan: Plan; happened: () => boolean } {
  let isCrashed = false
  let batches = 0
  return {
    happened: () => isCrashed,
    plan: async ({ n: call, operation, body, send }) => {
      if (isCrashed) throw new Crash()
      const writes = writesOf(operation, body)
      if (writes !== undefined) batches += 1
      if (moment === 'during' ? writes === undefined || batches !== n : call !== n) return send()
      isCrashed = true
      if (moment === 'after') await send()
      const half = (writes?.all.length ?? 0) >> 1
      if (moment === 'during' && half > 0) await send(writes?.only(half))
      throw new Crash()
    },
  }
}

/** The writes of a batch, and the batch with only the first `count` of them; undefined for another operation. */
export function writesOf(operation: string, body: Record<string, unknown>) {
  if (operation === 'BatchExecuteStatement') {
    const all = body.Statements as unknown[]
    return { all, only: (count: number) => ({ ...body, Statements: all.slice(0, count) }) }
  }
  if (operation !== 'BatchWriteItem') return undefined
  const [[table, all] = ['', []]] = Object.entries(body.RequestItems as Record<string, unknown[]>)
  return { all, only: (count: number) => ({ ...body, RequestItems: { [table]: all.slice(0, count) } }) }
}

export type Put = { PutRequest: { Item: Attributes } }
export type Keys = { Keys: Attributes[] }

/** Puts of a sent batch, as the document client returns them unprocessed. */
export const unprocessedPuts = (puts: Put[]) =>
  puts.map(({ PutRequest: { Item } }) => ({ PutRequest: { Item: unmarshall(Item) } }))

/** Keys of a sent batch, as the document client returns them unprocessed. */
export const unprocessedKeys = ({ Keys, ...options }: Keys) => ({
  ...options,
  Keys: Keys.map(key => unmarshall(key)),
})
