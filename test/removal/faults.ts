import { AsyncLocalStorage } from 'node:async_hooks'
import type { AttributeValue } from '@aws-sdk/client-dynamodb'
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import { unmarshall } from '@aws-sdk/util-dynamodb'

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

interface Batch {
  items: object[]
  /** The body with only these items. */
  only: (items: object[]) => Call['body']
  /** What the reply has about items that are not done. */
  unprocessed: (items: object[]) => object
}

/** The batch of a call; undefined for another operation. */
function batchOf({ operation, body }: Call): Batch | undefined {
  if (operation === 'BatchExecuteStatement')
    return {
      items: body.Statements as object[],
      only: Statements => ({ ...body, Statements }),
      unprocessed: () => ({}),
    }
  const [[table, request] = ['', undefined]] = Object.entries((body.RequestItems ?? {}) as object)
  const inTable = (items: unknown) => ({ [table]: items })
  if (operation === 'BatchWriteItem')
    return {
      items: request,
      only: puts => ({ ...body, RequestItems: inTable(puts) }),
      unprocessed: puts => ({ UnprocessedItems: inTable((puts as Put[]).map(asReturned)) }),
    }
  if (operation !== 'BatchGetItem') return undefined
  const keys = (Keys: unknown[]) => inTable({ ...request, Keys })
  return {
    items: request.Keys,
    only: Keys => ({ ...body, RequestItems: keys(Keys) }),
    unprocessed: Keys => ({ UnprocessedKeys: keys((Keys as Attributes[]).map(key => unmarshall(key))) }),
  }
}

type Attributes = Record<string, AttributeValue>
type Put = { PutRequest: { Item: Attributes } }

/** A put as the document client returns it unprocessed. */
const asReturned = ({ PutRequest: { Item } }: Put) => ({ PutRequest: { Item: unmarshall(Item) } })

export const isBatch = (call: Call) => batchOf(call) !== undefined
export const isBatchOfWrites = (call: Call) => isBatch(call) && call.operation !== 'BatchGetItem'

/**
 * Sends only those items of a batch for which `isDone` is true; the others are unprocessed.
 *
 * @returns DynamoDB's reply to a batch that was done in part
 */
export async function partly(
  call: Call,
  isDone: (item: object, index: number, all: object[]) => boolean,
): Promise<Reply> {
  const { items, only, unprocessed } = batchOf(call) as Batch
  const done = items.filter(isDone)
  const rest = items.filter(item => !done.includes(item))
  // DynamoDB refuses an empty batch.
  const { output } = done.length === 0 ? { output: { Responses: [] } } : await call.send(only(done))
  if (call.operation !== 'BatchExecuteStatement')
    return { output: { ...output, ...(rest.length > 0 && unprocessed(rest)) } }
  const outcomes = (output.Responses as object[]).values()
  const Responses = items.map((item, n) => (rest.includes(item) ? failed(n) : outcomes.next().value))
  return { output: { ...output, Responses } }
}

/** The first half of a batch. */
export const firstHalf = (_: object, index: number, { length }: object[]) => index < length >> 1

/** DynamoDB's reply for a statement that was not executed, with one of its error codes in turn. */
const failed = (index: number) => ({ Error: { Code: codes[index % codes.length], Message: 'injected' } })
const codes = [
  'ThrottlingError',
  'ProvisionedThroughputExceeded',
  'TransactionConflict',
  'RequestLimitExceeded',
  'InternalServerError',
]
