import { expect, test } from 'vitest'
import { untouched } from '../request/scenario.ts'
import { assertDocumented } from './validate.ts'

const service = untouched({})
/** Answers of the service, which are documented. */
const sent = {
  list: () => service().list(),
  missing: () => service().remove(99),
  expired: () => service().remove(7, { more: [['Prefer', 'wait=0']] }),
}

const removal = ['DELETE', '/api/v2/saml/providers/7?a=b'] as const
const listing = ['GET', '/api/v2/saml'] as const
const elsewhere = ['PUT', '/'] as const
interface Changes {
  status?: number
  headers?: Record<string, string | undefined>
  /** Members of a problem, or of the list's first provider. */
  body?: object
}
const progress = { affected_total: 2, unlinked: 1 }

test.each<[string, keyof typeof sent, readonly [string, string], Changes, RegExp]>([
  ['a status', 'missing', listing, { status: 409 }, /→ 409\n {2}- the status is not documented/],
  ['a header', 'list', listing, { headers: { 'X-Powered-By': 'x' } }, /x-powered-by is not documented/],
  ['a header of an unknown path', 'missing', elsewhere, {}, /deprecation is not documented/],
  ['no Retry-After', 'expired', removal, { headers: { 'Retry-After': undefined } }, /retry-after is missing/],
  ['a type', 'list', listing, { headers: { 'Content-Type': 'text/html' } }, /text\/html is not documented/],
  ['a field', 'list', listing, { body: { state: 'active' } }, /0 must NOT.*"state"/],
  ['a type of a field', 'list', listing, { body: { sso_provider_id: { int32: 7, valid: false } } }, /sso_pr/],
  ['a code', 'missing', removal, { body: { code: 'provider_gone' } }, /code must be equal to one of/],
  ['a code of another operation', 'missing', listing, {}, /no example with provider_not_found has code/],
  ['another status in the body', 'missing', removal, { body: { status: 403 } }, /status/],
  ["another request's id", 'missing', removal, { body: { request_id: 'x' } }, /request_id/],
  ['a member of a problem', 'missing', removal, { body: { instance: '/' } }, /unevaluated/],
  ['progress with another code', 'expired', removal, { body: progress }, /NOT be valid/],
  ['progress of a list', 'expired', listing, { body: { code: 'table_busy', ...progress } }, /has unlinked/],
  ['no progress', 'expired', removal, { body: { code: 'removal_unfinished' } }, /NOT be valid/],
])('an answer with %s that is not documented fails', async (_, name, [method, path], changes, message) => {
  const { status, headers, json } = await sent[name]()
  const body = json()
  Object.assign(body.data?.saml_providers[0] ?? body, changes.body)
  const given = {
    status,
    ...changes,
    headers: { ...headers, ...changes.headers },
    body: JSON.stringify(body),
  }
  expect(() => assertDocumented(method, path, given)).toThrow(message)
})
