import { Socket } from 'node:net'
import { expect, vi } from 'vitest'
import { deleteSamlProvider } from '../../functions/delete-saml-provider.ts'
import { listSamlProviders } from '../../functions/list-saml-providers.ts'
import type { ApiAnswer, ApiRequest } from '../../lib/http/request.ts'
import { apiRequest, type TestRequest } from '../support/api-request.ts'
import type { World } from '../support/world.ts'

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

export const authorization = (...values: string[]) => ({
  headers: values.map((value): [string, string] => ['Authorization', value]),
})

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
  const call = vi.spyOn(w.client, 'send')
  const answers = await fromBoth(w, request)
  expect([...connect.mock.calls, ...call.mock.calls]).toEqual([])
  vi.restoreAllMocks()
  const simplest = refusal === noCredentials ? { headers: [] } : authorization('Bearer x')
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
export async function sendRaw(w: World, request: TestRequest, change: (event: ApiRequest) => void) {
  const answers: ApiAnswer[] = []
  for (const endpoint of [listSamlProviders, deleteSamlProvider]) {
    const route = { resource: '/saml/{id}', pathParameters: { id: '99' } }
    const event = apiRequest({ ...route, ...request }, w.clock.nowMs())
    change(event)
    const handle = endpoint(w.deps) as unknown as (event: unknown, context: object) => Promise<ApiAnswer>
    answers.push(await handle(event, {}))
  }
  return answers
}
