// Checked only by the compiler: each line after @ts-expect-error must have a type error.
import type { Deps } from '../lib/deps.ts'
import type { FailureCode } from '../lib/domain/failure.ts'
import { bearer } from '../lib/http/bearer.ts'
import { loadCaller } from '../lib/http/caller.ts'
import { endpoint } from '../lib/http/endpoint.ts'
import { loadProvider } from '../lib/http/provider.ts'
import { problemKinds } from '../lib/http/problem.ts'
import { onLambda } from '../lib/lambda.ts'

const withoutBearer = (deps: Deps) =>
  endpoint(deps)
    .use(loadCaller(deps))
    .handler(async () => ({ rows: [] }))
// @ts-expect-error: an endpoint without bearer accepts requests without a token
onLambda(withoutBearer)
const withoutCaller = (deps: Deps) =>
  endpoint(deps)
    .use(bearer(deps, 'read'))
    .handler(async () => ({ rows: [] }))
// @ts-expect-error: an endpoint without loadCaller accepts disabled callers
onLambda(withoutCaller)
onLambda(deps =>
  endpoint(deps)
    .use(bearer(deps, 'read'))
    .use(loadCaller(deps))
    .handler(async () => ({ rows: [] })),
)

export const withoutProvider = (deps: Deps) =>
  endpoint(deps)
    .use(bearer(deps, 'delete'))
    // @ts-expect-error: provider is undefined before loadProvider
    .handler(async ({ provider }) => ({ rows: [provider] }))

export const withProvider = (deps: Deps) =>
  endpoint(deps)
    .use(bearer(deps, 'delete'))
    .use(loadProvider(deps))
    .handler(async ({ provider }) => ({ rows: [provider] }))

const { internal_error: _, ...incomplete } = problemKinds
// @ts-expect-error: a code without a status
export const kinds: Record<FailureCode, unknown> = incomplete
