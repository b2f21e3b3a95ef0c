import type { Deps } from '../lib/deps.ts'
import { bearer } from '../lib/http/bearer.ts'
import { loadCaller } from '../lib/http/caller.ts'
import { endpoint } from '../lib/http/endpoint.ts'
import { loadProviders } from '../lib/http/provider.ts'
import { concurrently } from '../lib/http/request.ts'
import { onLambda } from '../lib/lambda.ts'

/** GET /api/v2/saml: the SAML providers, by id. */
export const listSamlProviders = (deps: Deps) =>
  endpoint(deps)
    .use(bearer(deps, 'read')) // no good token → 401; no right → 403; retired → 410
    .use(concurrently(loadCaller(deps), loadProviders(deps))) // disabled or deleted → 403; else both are known
    .handler(async ({ providers }) => ({ saml_providers: providers }))

export const handler = await onLambda(listSamlProviders)
