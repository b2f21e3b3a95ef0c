import type { Deps } from '../lib/deps.ts'
import { bearer } from '../lib/http/bearer.ts'
import { endpoint } from '../lib/http/endpoint.ts'
import { onLambda } from '../lib/lambda.ts'

/** GET /api/v2/saml: the SAML providers, by id. */
export const listSamlProviders = (deps: Deps) =>
  endpoint(deps)
    .use(bearer(deps, 'read')) // no good token → 401; no right → 403; else the caller is known
    .handler(async ({ budget }) => ({ saml_providers: await deps.listProviders(budget.signal) }))

export const handler = await onLambda(listSamlProviders)
