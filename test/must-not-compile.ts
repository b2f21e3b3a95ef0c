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
    .handler(async () => ({ users: [] }))
// @ts-expect-error: an endpoint without bearer accepts requests without a token
onLambda(withoutBearer)
const withoutCaller = (deps: Deps) =>
  endpoint(deps)
    .use(bearer(deps, 'read'))
    .handler(async () => ({ users: [] }))
// @ts-expect-error: an endpoint without loadCaller accepts disabled callers
onLambda(withoutCaller)
onLambda(deps =>
  endpoint(deps)
    .use(bearer(deps, 'read'))
    .use(loadCaller(deps))
    .handler(async () => ({ users: [] })),
)

export const withoutProvider = (deps: Deps) =>
  endpoint(deps)
    .use(bearer(deps, 'delete'))
    // @ts-expect-error: provider is undefined before loadProvider
    .handler(async ({ provider }) => ({ providers: [provider.resource] }))

export const withProvider = (deps: Deps) =>
  endpoint(deps)
    .use(bearer(deps, 'delete'))
    .use(loadProvider(deps))
    .handler(async ({ provider }) => ({ providers: [provider.resource] }))

const caller = (deps: Deps) =>
  endpoint(deps).use(bearer(deps, 'delete')).use(loadCaller(deps)).use(loadProvider(deps))
// @ts-expect-error: an answer is a list; for one object, first widen Data in lib/http/envelope.ts
onLambda(deps => caller(deps).handler(async ({ provider }) => ({ provider: provider.resource })))
// @ts-expect-error: a stored record is no resource: its state would leave the service
onLambda(deps => caller(deps).handler(async ({ provider }) => ({ providers: [provider] })))
onLambda(deps => caller(deps).handler(async ({ provider }) => ({ providers: [provider.resource] })))

const { internal_error: _, ...incomplete } = problemKinds
// @ts-expect-error: a code without a status
export const kinds: Record<FailureCode, unknown> = incomplete
