import type { Deps } from '../lib/deps.ts'
import { bearer } from '../lib/http/bearer.ts'
import { knownCaller } from '../lib/http/caller.ts'
import { endpoint } from '../lib/http/endpoint.ts'
import { namedProvider, notOwnProvider } from '../lib/http/provider.ts'
import { atOnce } from '../lib/http/request.ts'
import { onLambda } from '../lib/lambda.ts'

/** DELETE /api/v2/saml/providers/{saml_provider_id}: removes a SAML provider and answers with the users affected. */
export const deleteSamlProvider = (deps: Deps) =>
  endpoint(deps)
    .use(bearer(deps, 'delete')) // no good token → 401; no right → 403
    .use(atOnce(knownCaller(deps), namedProvider(deps))) // disabled or deleted → 403; no such provider → 404
    .use(notOwnProvider()) // the caller signs in through it → 409
    .handler(async ({ provider, caller: { subject: by }, log, budget: { signal } }) => ({
      affected_user: await deps.removeProvider(provider, { by, log, signal }),
    }))

export const handler = await onLambda(deleteSamlProvider)
