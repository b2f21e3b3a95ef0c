import { Socket } from 'node:net'
import { expect, vi } from 'vitest'
import type { Asked } from '../api-request.ts'
import { realm } from '../request/refusal.ts'
import { sampleProvider, sampleUser } from '../samples.ts'
import { type World, world } from '../world.ts'

/** What is sent, by the name of the row. */
export type Rows = Record<string, Asked>

interface Refusal {
  status: number
  code: string
  challenge: string
}

export const invalidToken = {
  status: 401,
  code: 'token_rejected',
  challenge: `${realm}, error="invalid_token"`,
}
export const noCredentials = { status: 401, code: 'credentials_missing', challenge: realm }

/** A service that trusts these issuers, with something to show and to remove. */
export async function service(...issuers: object[]) {
  const w = await world({ ISSUERS: JSON.stringify(issuers) })
  await w.putProvider(sampleProvider(7), [sampleUser(1, { saml: 7 })])
  return w
}

export const asTokens = (tokens: Record<string, string>): Rows => mapValues(tokens, token => ({ token }))

/**
 * Sends every row to both endpoints and sees it refused: with the same answer to each, so that nothing is learned from
 * it, without a call to anywhere and with the table as it was.
 */
export async function refusesAll(w: World, rows: Rows, refusal: Refusal) {
  const before = await w.items()
  const calls = callsOf(w)
  const answers = await answersTo(w, rows)
  expect(calls()).toEqual([])
  const [first] = Object.values(answers)
  expect({
    status: first?.status,
    code: JSON.parse(String(first?.text)).code,
    challenge: first?.headers['WWW-Authenticate'],
  }).toEqual(refusal)
  expect(answers).toEqual(mapValues(answers, () => first))
  expect(await w.items()).toEqual(before)
}

/** Status, headers and text of what comes back to each row from each endpoint. */
export async function answersTo(w: World, rows: Rows) {
  const answers: Record<string, Omit<Awaited<ReturnType<World['list']>>, 'json'>> = {}
  for (const [name, asked] of Object.entries(rows)) {
    const { json: _, ...listed } = await w.list(asked)
    const { json: __, ...removed } = await w.remove(7, asked)
    answers[`${name} → list`] = listed
    answers[`${name} → remove`] = removed
  }
  return answers
}

export const mapValues = <T, U>(values: Record<string, T>, map: (value: T) => U): Record<string, U> =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, map(value)]))

/** Watches every connection that this process opens, and every call to the table, until it is asked. */
function callsOf({ client }: World): () => unknown[] {
  const calls: unknown[] = []
  const connect = vi.spyOn(Socket.prototype, 'connect')
  client.middlewareStack.add(
    next => args => {
      calls.push(args.input)
      return next(args)
    },
    { step: 'initialize', name: 'watchCalls', override: true },
  )
  return () => {
    const connections = connect.mock.calls.map(([target]) => target)
    connect.mockRestore()
    client.middlewareStack.remove('watchCalls')
    return [...calls, ...connections]
  }
}
