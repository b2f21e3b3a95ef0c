import { afterEach, expect, test, vi } from 'vitest'
import { Failure, type FailureCode } from '../../lib/domain/failure.ts'
import { problemKinds } from '../../lib/http/problem.ts'
import { sampleProvider, sampleUser } from '../support/samples.ts'
import type { World } from '../support/world.ts'
import { serviceFor, untouched } from './untouched.ts'

const internal = 'INTERNAL at /var/task/secret.ts:1'
const personal = { email: 'admin@personal.example', name: 'Ada Personal' }
const issuer = { issuer: 'https://issuer.example', audience: 'administration' }

const service = untouched({})
const retired = untouched({ SUNSET_AT: '2026-01-01T00:00:00Z', SUNSET_ENFORCED: 'true' })
const buffering = untouched({ RESPONSE_TRANSFER_MODE: 'BUFFERED' })
const fetching = serviceFor({ ...issuer, jwksUri: 'https://issuer.example/jwks' })
const discovering = serviceFor(issuer)

interface Row {
  name: string
  code: FailureCode
  of?: () => World
  claims?: Record<string, unknown>
  send(w: World, token: string): ReturnType<World['list']>
}

const rows: Row[] = [
  {
    name: 'a token in another header',
    code: 'credentials_missing',
    send: (w, token) => w.list({ headers: [['X-Api-Key', token]] }),
  },
  {
    name: 'a bad signature',
    code: 'token_rejected',
    send: (w, token) => w.list({ token: `${token.slice(0, -4)}AAAA` }),
  },
  {
    name: 'an expired token',
    code: 'token_rejected',
    claims: { exp: 1 },
    send: (w, token) => w.remove(7, { token }),
  },
  {
    name: 'an unknown issuer',
    code: 'token_rejected',
    claims: { iss: 'https://PERSONAL.example' },
    send: (w, token) => w.list({ token }),
  },
  {
    name: 'a claim of a wrong type',
    code: 'token_rejected',
    claims: { jti: ['personal'] },
    send: (w, token) => w.list({ token }),
  },
  {
    name: 'another scope',
    code: 'scope_missing',
    claims: { scope: 'personal' },
    send: (w, token) => w.remove(7, { token }),
  },
  {
    name: 'a disabled caller',
    code: 'caller_disabled',
    claims: { sub: sampleUser(2).id },
    send: (w, token) => w.remove(7, { token }),
  },
  { name: 'an invalid id', code: 'provider_not_found', send: (w, token) => w.remove(internal, { token }) },
  {
    name: "the caller's own provider",
    code: 'own_provider',
    claims: { sub: sampleUser(1).id },
    send: (w, token) => w.remove(7, { token }),
  },
  {
    name: 'a retired endpoint',
    code: 'endpoint_retired',
    of: retired,
    send: (w, token) => w.list({ token }),
  },
  {
    name: 'a huge answer',
    code: 'answer_too_large',
    of: buffering,
    send(w, token) {
      vi.spyOn(w.deps, 'listProviders').mockResolvedValue(Array(15_000).fill(sampleProvider(7)))
      return w.list({ token })
    },
  },
  {
    name: 'a wait of 0',
    code: 'wait_expired',
    send: (w, token) => w.list({ token, more: [['Prefer', 'wait=0']] }),
  },
  {
    name: 'an unfinished removal',
    code: 'removal_unfinished',
    send(w, token) {
      const facts = { affectedTotal: 2, unlinked: 1 }
      const failure = new Failure('removal_unfinished', facts, new Error(internal))
      vi.spyOn(w.deps, 'removeProvider').mockRejectedValue(failure)
      return w.remove(7, { token })
    },
  },
  {
    name: 'an unreachable issuer',
    code: 'issuer_unavailable',
    of: fetching,
    send: (w, token) => w.list({ token }),
  },
  {
    name: 'an issuer that cannot be discovered',
    code: 'issuer_unavailable',
    of: discovering,
    send: (w, token) => w.list({ token }),
  },
  {
    name: 'a throttled table',
    code: 'table_busy',
    send: (w, token) => w.remove(7, { token }),
  },
  { name: 'an invalid call of the table', code: 'internal_error', send: (w, token) => w.list({ token }) },
]
const tableErrors: Partial<Record<FailureCode, string>> = {
  table_busy: 'ProvisionedThroughputExceededException',
  internal_error: 'ValidationException',
}

afterEach(() => {
  vi.restoreAllMocks()
  service().client.middlewareStack.remove('failTable')
})

test.each(rows)(
  '$name ($code) discloses no internals to the client, and nothing of the token to the log',
  async row => {
    const { code, of = service, claims = {}, send } = row
    const w = of()
    w.logged.length = 0
    const token = w.token({ ...personal, ...claims })
    const error = tableErrors[code]
    if (error !== undefined) failTable(w, error)
    const { status, headers, text, json } = await send(w, token)
    expect([json().code, status]).toEqual([code, problemKinds[code].status])

    const sent = JSON.stringify([headers, String(text)])
    for (const secret of [...token.split('.'), ...internals(w)]) expect(sent).not.toContain(secret)
    expect(sent).not.toMatch(/personal/i)
    expect(sent).not.toMatch(/node_modules|\.[cm]?[jt]s\b|\w(Error|Exception)\b/)
    const logged = JSON.stringify(w.logged)
    expect(w.logged.map(({ event }) => event)).toContain('request_answered')
    for (const part of token.split('.')) expect(logged).not.toContain(part)
    expect(logged).not.toMatch(/personal|Bearer/i)
  },
)

test('every code of the functions has a row', () => {
  const { route_not_found: _, ...codes } = problemKinds
  expect(new Set(rows.map(({ code }) => code))).toEqual(new Set(Object.keys(codes)))
})

const internals = ({ tableName, client }: World) => [
  internal,
  'INTERNAL',
  tableName,
  String(client.constructor.name),
]

/** Makes every call of the table fail with this error until the end of the test. */
function failTable({ client }: World, name: string) {
  const error = Object.assign(new Error(internal), { name, $metadata: {} })
  client.middlewareStack.add(() => () => Promise.reject(error), {
    step: 'finalizeRequest',
    name: 'failTable',
  })
}
