import { Socket } from 'node:net'
import { afterAll, beforeAll, expect, vi } from 'vitest'
import type { ApiRequest } from '../../lib/http/request.ts'
import { userItem } from '../../infra/data/table/encoding.ts'
import type { Item } from '../../lib/store/items.ts'
import { type TestRequest, apiRequest } from '../support/api-request.ts'
import { sampleProvider, sampleUser, sampleUsers } from '../support/samples.ts'
import { type Plan, withPlan } from '../support/test-client.ts'
import { type World, world } from '../support/world.ts'

export const accept = (coding: string) => ({ more: [['Accept-Encoding', coding]] as [string, string][] })

/** Users 0 to `count` - 1, who are linked to provider 7. */
export const linked = (count: number) => sampleUsers(count, { saml: 7 })

/** A world with one provider, 7, and its users. */
export async function worldOf(users: number, settings: Record<string, string> = {}) {
  const w = await world(settings)
  await w.putProvider(sampleProvider(7), linked(users))
  return w
}

/**
 * One service for all tests of a file, with provider 7 of user 1, and user 2, who is disabled. It expects that its table
 * is unchanged at the end of the file.
 *
 * @param prepare stores more items
 */
export function untouched(
  settings: Record<string, string>,
  prepare: (w: World) => Promise<void> = async () => {},
): () => World {
  const cleanUps: (() => Promise<void>)[] = []
  let serving: World
  let before: Item[]
  beforeAll(async () => {
    serving = await world(settings, cleanUp => cleanUps.push(cleanUp))
    await serving.putProvider(sampleProvider(7), [sampleUser(1, { saml: 7 })])
    await serving.put({ ...userItem(sampleUser(2)), is_disabled: true })
    await prepare(serving)
    before = await serving.items()
  })
  afterAll(async () => {
    const after = await serving.items()
    for (const cleanUp of cleanUps) await cleanUp()
    expect(after).toEqual(before)
  })
  return () => serving
}

/** Status, code and challenge of a refusal. */
export type Refusal = [status: number, code: string, challenge?: string]

const realm = 'Bearer realm="identity-provider-administration"'
export const noCredentials: Refusal = [401, 'credentials_missing', realm]
export const invalidToken: Refusal = [401, 'token_rejected', `${realm}, error="invalid_token"`]
export const scopeMissing = (scope: string): Refusal => [
  403,
  'scope_missing',
  `${realm}, error="insufficient_scope", scope="${scope}"`,
]

/** Lines of the header Authorization. */
export const lines = (...values: string[]) =>
  values.map((value): [string, string] => ['Authorization', value])

/** Expects that an answer is this refusal. */
export async function expectRefusal(answer: ReturnType<World['list']>, refusal: Refusal) {
  const { status, json, headers } = await answer
  expect([status, json().code, headers['WWW-Authenticate']]).toEqual([...refusal, undefined].slice(0, 3))
}

/**
 * Expects that both endpoints refuse the credentials of the request without a call to anywhere, and with the answer to
 * the simplest such request, so that the answer does not disclose the cause.
 */
export async function refuses(w: World, request: TestRequest, refusal: Refusal) {
  const connect = vi.spyOn(Socket.prototype, 'connect')
  const calls: string[] = []
  const listed: Plan = ({ operation, send }) => {
    calls.push(operation)
    return send()
  }
  const answers = await withPlan(listed, () => fromBoth(w, request))
  expect([...connect.mock.calls, ...calls]).toEqual([])
  connect.mockRestore()
  const simplest = { headers: refusal === noCredentials ? [] : lines('Bearer x') }
  await expectRefusal(w.list(simplest), refusal)
  const [same] = await fromBoth(w, simplest)
  expect(answers).toEqual([same, same])
}

/** Status, headers and text of both endpoints' answers, the list first. */
async function fromBoth(w: World, request: TestRequest, id = 7) {
  const answers = [await w.list(request), await w.remove(id, request)]
  return answers.map(({ status, headers, text }) => ({ status, headers, text: String(text) }))
}

/** Expects that the caller is authorised: the list is shown, and the removal finds no such provider. */
export async function accepts(w: World, request: TestRequest) {
  const answers = await fromBoth(w, request, 99)
  expect(answers.map(({ status }) => status)).toEqual([200, 404])
}

/** Expects that the caller is authenticated but lacks the scope. */
export async function forbids(w: World, request: TestRequest) {
  await expectRefusal(w.list(request), scopeMissing(w.config.scopes.read))
  await expectRefusal(w.remove(7, request), scopeMissing(w.config.scopes.delete))
}

/** Sends an event to both endpoints after `change`, for events that a request cannot express. */
export function sendRaw(w: World, request: TestRequest, change: (event: ApiRequest) => void) {
  const route = { resource: '/saml/{id}', pathParameters: { id: '99' } }
  return w.answersTo(() => {
    const event = apiRequest({ ...route, ...request }, w.clock.nowMs())
    change(event)
    return event
  })
}
