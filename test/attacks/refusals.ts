import { Socket } from 'node:net'
import { expect, vi } from 'vitest'
import type { Asked } from '../support/api-request.ts'
import { realm } from '../request/refusal.ts'
import type { World } from '../support/world.ts'
import { authorization } from './raw-events.ts'

/** What is sent, by the name of the row. */
export type Rows = Record<string, Asked>

interface Refusal {
  status: number
  code: string
  challenge: string
  /** The plainest request that is refused so. */
  plain: Asked
}

export const invalidToken: Refusal = {
  status: 401,
  code: 'token_rejected',
  challenge: `${realm}, error="invalid_token"`,
  plain: authorization('Bearer x'),
}
export const noCredentials: Refusal = {
  status: 401,
  code: 'credentials_missing',
  challenge: realm,
  plain: { headers: [] },
}

/**
 * Sees it refused by both endpoints: with the very answer that the plainest cause gets, so that nothing is learned from
 * it, and without a call to anywhere.
 */
export async function refuses(w: World, asked: Asked, { status, code, challenge, plain }: Refusal) {
  const { answers, calls } = await watched(w, () => fromBoth(w, asked))
  expect(calls).toEqual([])
  for (const { status: seen, headers, text } of answers) {
    const told = [seen, JSON.parse(String(text)).code, headers['WWW-Authenticate']]
    expect(told).toEqual([status, code, challenge])
  }
  const [same] = await fromBoth(w, plain)
  expect(answers).toEqual([same, same])
}

/** Status, headers and text of what comes back from each endpoint, the list first. */
export async function fromBoth(w: World, asked: Asked, id = 7) {
  const { json: _, ...listed } = await w.list(asked)
  const { json: __, ...removed } = await w.remove(id, asked)
  return [listed, removed]
}

/** The list is shown, and a removal goes as far as looking for a provider that there is not. */
export async function letsIn(w: World, asked: Asked) {
  const answers = await fromBoth(w, asked, 99)
  expect(answers.map(({ status }) => status)).toEqual([200, 404])
}

/** A caller who is known, and whose rights are too few. */
export async function knowsButForbids(w: World, asked: Asked) {
  for (const { status, text } of await fromBoth(w, asked))
    expect([status, JSON.parse(String(text)).code]).toEqual([403, 'scope_missing'])
}

/** Watches every connection that this process opens, and every call to the table, while the work goes on. */
async function watched<T>(
  { client }: World,
  work: () => Promise<T>,
): Promise<{ answers: T; calls: unknown[] }> {
  const calls: unknown[] = []
  const connect = vi.spyOn(Socket.prototype, 'connect')
  client.middlewareStack.add(
    next => args => {
      calls.push(args.input)
      return next(args)
    },
    { step: 'initialize', name: 'watchCalls', override: true },
  )
  try {
    const answers = await work()
    const connections = connect.mock.calls.map(([target]) => target)
    return { answers, calls: [...calls, ...connections] }
  } finally {
    connect.mockRestore()
    client.middlewareStack.remove('watchCalls')
  }
}
