// Checked by the compiler alone: each line marked so must be an error, or the type check fails.
import type { Deps } from '../lib/deps.ts'
import type { FailureCode } from '../lib/domain/failure.ts'
import { bearer } from '../lib/http/bearer.ts'
import { loadCaller } from '../lib/http/caller.ts'
import { endpoint } from '../lib/http/endpoint.ts'
import { loadProvider } from '../lib/http/provider.ts'
import { problemKinds } from '../lib/http/problem.ts'
import { onLambda } from '../lib/lambda.ts'

const open = (deps: Deps) =>
  endpoint(deps)
    .use(loadCaller(deps))
    .handler(async () => ({ rows: [] }))
// @ts-expect-error: an endpoint without the bearer step is open to everybody
onLambda(open)
const openToDisabled = (deps: Deps) =>
  endpoint(deps)
    .use(bearer(deps, 'read'))
    .handler(async () => ({ rows: [] }))
// @ts-expect-error: an endpoint without the step of the known caller is open to callers who are disabled
onLambda(openToDisabled)
onLambda(deps =>
  endpoint(deps)
    .use(bearer(deps, 'read'))
    .use(loadCaller(deps))
    .handler(async () => ({ rows: [] })),
)

export const forgotten = (deps: Deps) =>
  endpoint(deps)
    .use(bearer(deps, 'delete'))
    // @ts-expect-error: the provider is there only after loadProvider
    .handler(async ({ provider }) => ({ rows: [provider] }))

export const remembered = (deps: Deps) =>
  endpoint(deps)
    .use(bearer(deps, 'delete'))
    .use(loadProvider(deps))
    .handler(async ({ provider }) => ({ rows: [provider] }))

const { internal_error: _, ...incomplete } = problemKinds
// @ts-expect-error: a code without a status
export const kinds: Record<FailureCode, unknown> = incomplete
