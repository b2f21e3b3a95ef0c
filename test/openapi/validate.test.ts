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
const list = (...providers: object[]) => JSON.stringify({ data: { saml_providers: providers } })
const good = { status: 200, headers, body: list(provider) }
const problem = { type: 'about:blank', title: 'T', status: 404, detail: 'D', request_id: 'request-1' }
const notFound = {
  status: 404,
  headers: { ...headers, 'Content-Type': 'application/problem+json' },
  body: JSON.stringify({ ...problem, code: 'provider_not_found' }),
}
const interrupted = (members: object) => ({
  status: 503,
  headers: { ...notFound.headers, 'Retry-After': '1' },
  body: JSON.stringify({ ...problem, status: 503, ...members }),
})
type Answer = typeof good

const without = (name: string) => Object.fromEntries(Object.entries(headers).filter(([key]) => key !== name))
const listing = (answer: Answer) => () => assertDocumented('GET', '/api/v2/saml', answer)
const removing = (answer: Answer) => () => assertDocumented('DELETE', '/api/v2/saml/providers/7?a=b', answer)

const progress = { affected_total: 2, unlinked: 1 }
describe('an undocumented answer fails:', () => {
  const unknownPath = (answer: Answer) => () => assertDocumented('PUT', '/', answer)
  const listed = (changes: object) => listing({ ...good, body: list({ ...provider, ...changes }) })
  const typed = (type: string) => listing({ ...good, headers: { ...headers, 'Content-Type': type } })
  const notFoundWith = (more: object) => removing(withCode('provider_not_found', 404, more))

  test.each<[string, () => void, RegExp]>([
    ['a status', listing({ ...good, status: 201 }), /→ 201\n {2}- the status is not documented/],
    ['a status of another operation', listing({ ...notFound, status: 409 }), /status is not documented/],
    ['a 200 of an unknown path', unknownPath(good), /status is not documented/],
    ['a header', listing({ ...good, headers: { ...headers, 'X-Powered-By': 'x' } }), /x-powered-by is not/],
    [
      'a header of an unknown path',
      unknownPath(withCode('route_not_found')),
      /deprecation is not documented/,
    ],
    ['no Retry-After', removing(withCode('table_busy', 503)), /header retry-after is missing/],
    ['a content type', typed('text/html'), /text\/html/],
    ['a field', listed({ state: 'active' }), /0 must NOT.*"state"/],
    ['a field of data', listing({ ...good, body: '{"data":{"saml_providers":[],"next":1}}' }), /"next"/],
    ['a code', removing(withCode('provider_gone')), /\/code must be equal to one of/],
    ['a code of another operation', listing(withCode('provider_not_found')), /\/code must be equal/],
    ['a member of a problem', notFoundWith({ affected_total: 1 }), /unevaluated/],
    ['progress elsewhere', removing(interrupted({ code: 'wait_expired', ...progress })), /NOT be valid/],
    ['no progress', removing(interrupted({ code: 'removal_unfinished' })), /NOT be valid/],
    ['half a progress', removing(interrupted({ code: 'table_busy', unlinked: 1 })), /affected_total/],
    ["another request's id", notFoundWith({ request_id: 'x' }), /request_id is not/],
    ['another status in the body', notFoundWith({ status: 403 }), /\/status must be equal/],
    ['a time without milliseconds', listed({ created_at: '2024-03-01T08:00:00Z' }), /must match pattern/],
    ['a null with a value', listed({ sso_provider_id: { int32: 7, valid: false } }), /sso_provider_id/],
    ['an id beyond 32 bits', listed({ id: 2 ** 31 }), /id must match format "int32"/],
  ])('%s', (_, check, message) => expect(check).toThrow(message))

  test.each(Object.keys(headers))('no %s, and another one', name => {
    expect(listing({ ...good, headers: without(name) })).toThrow(/is missing|content type none/)
    const fault = name === 'Content-Type' ? 'content type' : name.toLowerCase()
    expect(listing({ ...good, headers: { ...headers, [name]: '' } })).toThrow(fault)
  })
})

function withCode(code: string, status = 404, more: object = {}) {
  return { ...notFound, status, body: JSON.stringify({ ...problem, status, code, ...more }) }
}
