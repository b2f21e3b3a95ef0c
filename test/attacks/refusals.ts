import { Socket } from 'node:net'
import { expect, vi } from 'vitest'
import type { TestRequest } from '../support/api-request.ts'
import { realm } from '../request/refusal.ts'
import type { World } from '../support/world.ts'
import { authorization } from './raw-events.ts'

/** Requests by the names of their rows. */
export type Rows = Record<string, TestRequest>

interface Refusal {
  status: number
  code: string
  challenge: string
  /** The simplest request with this refusal. */
  simplest: TestRequest
}

export const invalidToken: Refusal = {
  status: 401,
  code: 'token_rejected',
  challenge: `${realm}, error="invalid_token"`,
  simplest: authorization('Bearer x'),
}
export const noCredentials: Refusal = {
  status: 401,
  code: 'credentials_missing',
  challenge: realm,
  simplest: { headers: [] },
}

/**
 * Expects that both endpoints refuse the request without a call to anywhere, and with the answer to the simplest refused
 * request, so that the answer does not disclose the cause.
 */
export async function refuses(
  w: World,
  request: TestRequest,
  { status, code, challenge, simplest }: Refusal,
) {
  const { answers, calls } = await watched(w, () => fromBoth(w, request))
  expect(calls).toEqual([])
  for (const { status: received, headers, text } of answers) {
    const actual = [received, JSON.parse(String(text)).code, headers['WWW-Authenticate']]
    expect(actual).toEqual([status, code, challenge])
  }
  const [same] = await fromBoth(w, simplest)
  expect(answers).toEqual([same, same])
}

/** Status, headers and text of both endpoints' answers, the list first. */
export async function fromBoth(w: World, request: TestRequest, id = 7) {
  const { json: _, ...listed } = await w.list(request)
  const { json: __, ...removed } = await w.remove(id, request)
  return [listed, removed]
}

/** Expects that the caller is authorised: the list is shown, and the removal finds no such provider. */
export async function accepts(w: World, request: TestRequest) {
  const answers = await fromBoth(w, request, 99)
  expect(answers.map(({ status }) => status)).toEqual([200, 404])
}

/** Expects that the caller is authenticated but lacks the scope. */
export async function forbids(w: World, request: TestRequest) {
  for (const { status, text } of await fromBoth(w, request))
    expect([status, JSON.parse(String(text)).code]).toEqual([403, 'scope_missing'])
}

/** Records the connections of this process and the calls of the table during `work`. */
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
