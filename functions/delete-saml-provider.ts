import type { Deps } from '../lib/deps.ts'
import { bearer } from '../lib/http/bearer.ts'
import { loadCaller } from '../lib/http/caller.ts'
import { endpoint } from '../lib/http/endpoint.ts'
import { loadProvider, refuseOwnProvider } from '../lib/http/provider.ts'
import { concurrently } from '../lib/http/request.ts'
import { onLambda } from '../lib/lambda.ts'

/** DELETE /api/v2/saml/providers/{saml_provider_id}: removes a SAML provider and answers with the users affected. */
export const deleteSamlProvider = (deps: Deps) =>
  endpoint(deps)
    .use(bearer(deps, 'delete')) // no good token → 401; no right → 403; retired → 410
    .use(concurrently(loadCaller(deps), loadProvider(deps))) // disabled or deleted → 403; no such provider → 404
    .use(refuseOwnProvider()) // the caller signs in through it → 409
    .handler(async ({ provider, caller: { subject: requestedBy }, log, budget: { signal } }) => ({
      affected_user: await deps.removeProvider(provider, { requestedBy, log, signal }),
    }))

export const handler = await onLambda(deleteSamlProvider)
