import { deleteSamlProvider } from '../../functions/delete-saml-provider.ts'
import { listSamlProviders } from '../../functions/list-saml-providers.ts'
import type { ApiAnswer, ApiRequest } from '../../lib/http/request.ts'
import { type TestRequest, apiRequest } from '../support/api-request.ts'
import type { World } from '../support/world.ts'

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

export const authorization = (...values: string[]) => ({
  headers: values.map((value): [string, string] => ['Authorization', value]),
})
