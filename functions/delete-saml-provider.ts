import type { Deps } from '../lib/deps.ts'
import { bearer } from '../lib/http/bearer.ts'
import { endpoint } from '../lib/http/endpoint.ts'
import { namedProvider, notOwnProvider } from '../lib/http/provider.ts'
import { onLambda } from '../lib/lambda.ts'

/** DELETE /api/v2/saml/providers/{saml_provider_id}: removes a SAML provider and answers with the users affected. */
export const deleteSamlProvider = (deps: Deps) =>
  endpoint(deps)
    .use(bearer(deps, 'delete')) // no good token → 401; no right → 403; else the caller is known
    .use(namedProvider(deps)) // no such provider → 404
    .use(notOwnProvider()) // the caller signs in through it → 409
    .handler(async ({ provider, caller: { subject: by }, log, budget: { signal } }) => ({
      affected_user: await deps.removeProvider(provider, { by, log, signal }),
    }))

export const handler = await onLambda(deleteSamlProvider)
