import type { Mistake } from '../plant.ts'

/** Mistakes in the functions, lib/http, lib/domain and the root of lib, with the tests that find them. */
// biome-ignore format: one mistake a line
export const inRequests: readonly Mistake[] = [
  // Who may call.
  ['functions/delete-saml-provider.ts', "bearer(deps, 'delete')", "bearer(deps, 'read')", 'request/credentials'],
  ['lib/http/bearer.ts', 'if (!event.identity.scopes.has(scope))', 'if (event.identity.scopes.size === 0)', 'request/failures'],
  ['lib/http/caller.ts', 'user?.is_disabled || user?.deleted_at.valid', 'user?.is_disabled', 'request/callers'],
  ['lib/http/caller.ts', 'user?.isMalformed || ', '', 'request/callers'],
  ['lib/http/provider.ts', 'isLinked(caller.user, provider.resource)', 'caller.user.saml_provider_id.int32 === provider.resource.id', 'request/callers'],
  // What is shown, and to whom a provider is known.
  ['lib/domain/fields.ts', 'const value: Record<string, unknown> = {}', 'const value: Record<string, unknown> = { ...stored }', 'domain/resources'],
  ['lib/domain/fields.ts', 'Object.hasOwn(stored, name) ? stored[name] : undefined', 'stored[name]', 'request/unknown-attributes'],
  ['lib/domain/provider.ts', "isListed = ({ state }: ProviderRecord) => state === 'active'", "isListed = ({ state }: ProviderRecord) => state !== 'removed'", 'request/list'],
  ['lib/domain/provider.ts', "state !== 'removed' || removal === undefined || !isPastRetention(removal, nowMs)", "state !== 'removed' || (removal === undefined && nowMs > 0)", 'request/repeated-removal'],
  ['lib/domain/provider.ts', 'nowMs >= retainedUntil * 1000', 'nowMs > retainedUntil * 1000', 'request/repeated-removal'],
  // Who is linked.
  ['lib/domain/provider.ts', 'return sso.valid ?', 'return id === 0 ?', 'domain/values'],
  ['lib/domain/provider.ts', 'links[name].valid && links[name].int32 === value', 'links[name].valid && value > 0', 'domain/values'],
  ['lib/domain/provider.ts', '/^[1-9]\\d{0,9}$/', '/^\\d{1,10}$/', 'domain/values'],
  // What the API description says of a problem.
  ['infra/openapi.yml', ', too_many_requests,', ',', 'openapi/description'],
  ['infra/openapi.yml', 'status: 409', 'status: 403', 'openapi/description'],
  ['infra/openapi.yml', '      unevaluatedProperties: false\n', '', 'openapi/validate'],
  ['infra/openapi.yml', 'then: { not: { properties: { code: { not: { enum: [removal_unfinished, table_busy] } } } } }', 'then: {}', 'openapi/validate'],
  ['infra/openapi.yml', "Retry-After: { $ref: '#/components/headers/RetryAfter' }", "Retry-Later: { $ref: '#/components/headers/RetryAfter' }", 'openapi/description'],
  // The headers of every answer.
  ['lib/http/answer.ts', '...deprecationHeaders(deprecation, provider?.resource)', '...(provider && deprecationHeaders(deprecation, provider.resource))', 'request/answers'],
  ['lib/http/deprecation.ts', '...(sunsetAtMs !== undefined && { Sunset: new Date(sunsetAtMs).toUTCString() }),', '', 'request/answers'],
  ['lib/http/deprecation.ts', 'clock.nowMs() >= sunsetAtMs', 'clock.nowMs() > sunsetAtMs', 'request/answers'],
  ['lib/http/common-headers.ts', "'Cache-Control': 'no-store'", "'Cache-Control': 'private'", 'request/answers'],
  ['lib/http/problem.ts', "...(retryAfterSeconds !== undefined && { 'Retry-After': String(retryAfterSeconds) }),", '', 'request/failures'],
  // The time limit, and the limit of an answer.
  ['lib/http/wait-budget.ts', 'Math.min(Math.round(seconds * 1000), config.maxWaitMs)', 'Math.round(seconds * 1000)', 'request/wait'],
  ['lib/http/prefer.ts', "if (name.toLowerCase() === 'wait') return seconds(value)", "if (name.toLowerCase() === 'wait' && seconds(value)) return seconds(value)", 'http/prefer'],
  ['lib/http/transfer.ts', 'if (leftBytes < 0)', 'if (leftBytes < -1e9)', 'http/body'],
  ['lib/time.ts', 'if (clock.nowMs() >= endsAtMs) expire()', '', 'lib/time'],
  ['lib/concurrency.ts', 'if (next.done || errors.length > 0) return', 'if (next.done) return', 'lib/concurrency'],
  // What the operators set, see and count.
  ['lib/config.ts', 'e.RETENTION_DAYS * 86_400_000', 'e.RETENTION_DAYS * 86_400', 'lib/config'],
  ['lib/http/access-log.ts', 'status === 403 ? undefined : identity', 'identity', 'request/log'],
]
