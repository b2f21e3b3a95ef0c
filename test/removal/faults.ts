import { AsyncLocalStorage } from 'node:async_hooks'
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'

/** What happens to one call on its way: `send` lets it through, once or more; n counts the calls of this plan from 1. */
export type Plan = (send: () => Promise<unknown>, n: number) => Promise<unknown>

const plans = new AsyncLocalStorage<{ plan: Plan; calls: number }>()

/** Lets plans decide what becomes of this client's calls, below everything the SDK and the store do. */
export function openToFaults(client: DynamoDBDocumentClient) {
  client.middlewareStack.add(
    next => args => {
      const here = plans.getStore()
      if (here === undefined) return next(args)
      here.calls += 1
      return here.plan(() => next(args), here.calls) as ReturnType<typeof next>
    },
    { step: 'finalizeRequest', priority: 'low', name: 'faults' },
  )
}

/** Does the work under a plan; other work, also beside it, is not touched. */
export async function under<T>(plan: Plan, work: () => Promise<T>): Promise<{ result: T; calls: number }> {
  const here = { plan, calls: 0 }
  return { result: await plans.run(here, work), calls: here.calls }
}

export class Crash extends Error {}

/** The process dies at its n-th call: before it is sent, or after it has landed but before its reply was heard. */
export function crashAt(n: number, moment: 'before' | 'after'): { plan: Plan; happened: () => boolean } {
  let dead = false
  return {
    happened: () => dead,
    plan: async (send, call) => {
      if (dead) throw new Crash()
      if (call !== n) return send()
      dead = true
      if (moment === 'after') await send()
      throw new Crash()
    },
  }
}
