import { describe, expect, test } from 'vitest'
import { sampleProvider } from '../support/samples.ts'
import { assertDocumented } from './validate.ts'

const headers: Record<string, string> = {
  'Content-Type': 'application/json',
  'Cache-Control': 'no-store',
  'X-Content-Type-Options': 'nosniff',
  'Strict-Transport-Security': 'max-age=31536000; includeSubDomains',
  Vary: 'Prefer, Accept-Encoding',
  'X-Request-Id': 'request-1',
  Deprecation: '@1735689600',
  Link: '</api/v2/sso-providers>; rel="successor-version"',
}
const provider = sampleProvider(7, 70)
const good = { status: 200, headers, body: JSON.stringify({ data: { saml_providers: [provider] } }) }

const problem = (code: string, status = 404, more: object = {}) => ({
  status,
  headers: { ...headers, 'Content-Type': 'application/problem+json' },
  body: JSON.stringify({
    ...{ type: 'about:blank', title: 'T', status, detail: 'D', code, request_id: 'request-1' },
    ...more,
  }),
})
const interrupted = (code: string, progress: object) => {
  const answer = problem(code, 503, progress)
  return { ...answer, headers: { ...answer.headers, 'Retry-After': '1' } }
}
const progress = { affected_total: 2, unlinked: 1 }

type Answer = typeof good
const listing = (answer: Answer) => () => assertDocumented('GET', '/api/v2/saml', answer)
const removing = (answer: Answer) => () => assertDocumented('DELETE', '/api/v2/saml/providers/7?a=b', answer)
const elsewhere = (answer: Answer) => () => assertDocumented('PUT', '/', answer)
const listed = (changes: object) =>
  listing({ ...good, body: JSON.stringify({ data: { saml_providers: [{ ...provider, ...changes }] } }) })
const withHeader = (name: string, value: string) => ({ ...good, headers: { ...headers, [name]: value } })

describe('an undocumented answer fails:', () => {
  test.each<[string, () => void, RegExp]>([
    [
      'a status of another operation',
      listing(problem('own_provider', 409)),
      /→ 409\n {2}- the status is not documented/,
    ],
    ['a header', listing(withHeader('X-Powered-By', 'x')), /x-powered-by is not documented/],
    ['a header of an unknown path', elsewhere(problem('route_not_found')), /deprecation is not documented/],
    ['no Retry-After', removing(problem('table_busy', 503)), /header retry-after is missing/],
    ['a content type', listing(withHeader('Content-Type', 'text/html')), /text\/html is not documented/],
    ['a field', listed({ state: 'active' }), /0 must NOT.*"state"/],
    ['a null with a value', listed({ sso_provider_id: { int32: 7, valid: false } }), /sso_provider_id/],
    ['a code', removing(problem('provider_gone')), /code must be equal to one of/],
    [
      'a code of another operation',
      listing(problem('provider_not_found')),
      /no example with provider_not_found has code/,
    ],
    ['another status in the body', removing(problem('provider_not_found', 404, { status: 403 })), /status/],
    ["another request's id", removing(problem('provider_not_found', 404, { request_id: 'x' })), /request_id/],
    ['a member of a problem', removing(problem('provider_not_found', 404, { instance: '/' })), /unevaluated/],
    ['progress with another code', removing(interrupted('wait_expired', progress)), /NOT be valid/],
    [
      'progress of a list',
      listing(interrupted('table_busy', progress)),
      /no example with table_busy has unlinked/,
    ],
    ['no progress', removing(interrupted('removal_unfinished', {})), /NOT be valid/],
  ])('%s', (_, check, message) => expect(check).toThrow(message))
})
