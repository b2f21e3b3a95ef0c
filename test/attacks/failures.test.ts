import { afterEach, expect, test, vi } from 'vitest'
import { Failure, type FailureCode } from '../../lib/domain/failure.ts'
import { problemKinds } from '../../lib/http/problem.ts'
import { sampleProvider, sampleUser } from '../support/samples.ts'
import type { World } from '../support/world.ts'
import { serviceFor, untouched } from './untouched.ts'

const inside = 'INTERNAL at /var/task/secret.ts:1'
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
  ask(w: World, token: string): ReturnType<World['list']>
}

const rows: Row[] = [
  {
    name: 'a token in another header',
    code: 'credentials_missing',
    ask: (w, token) => w.list({ headers: [['X-Api-Key', token]] }),
  },
  {
    name: 'a bad signature',
    code: 'token_rejected',
    ask: (w, token) => w.list({ token: `${token.slice(0, -4)}AAAA` }),
  },
  {
    name: 'an expired token',
    code: 'token_rejected',
    claims: { exp: 1 },
    ask: (w, token) => w.remove(7, { token }),
  },
  {
    name: 'a foreign issuer',
    code: 'token_rejected',
    claims: { iss: 'https://PERSONAL.example' },
    ask: (w, token) => w.list({ token }),
  },
  {
    name: 'a claim of a wrong type',
    code: 'token_rejected',
    claims: { jti: ['personal'] },
    ask: (w, token) => w.list({ token }),
  },
  {
    name: 'another scope',
    code: 'scope_missing',
    claims: { scope: 'personal' },
    ask: (w, token) => w.remove(7, { token }),
  },
  {
    name: 'a disabled caller',
    code: 'caller_disabled',
    claims: { sub: sampleUser(2).id },
    ask: (w, token) => w.remove(7, { token }),
  },
  { name: 'an id that is none', code: 'provider_not_found', ask: (w, token) => w.remove(inside, { token }) },
  {
    name: 'the own provider',
    code: 'own_provider',
    claims: { sub: sampleUser(1).id },
    ask: (w, token) => w.remove(7, { token }),
  },
  {
    name: 'a retired endpoint',
    code: 'endpoint_retired',
    of: retired,
    ask: (w, token) => w.list({ token }),
  },
  {
    name: 'a huge answer',
    code: 'answer_too_large',
    of: buffering,
    ask(w, token) {
      vi.spyOn(w.deps, 'listProviders').mockResolvedValue(Array(15_000).fill(sampleProvider(7)))
      return w.list({ token })
    },
  },
  {
    name: 'no time',
    code: 'wait_expired',
    ask: (w, token) => w.list({ token, more: [['Prefer', 'wait=0']] }),
  },
  {
    name: 'a removal cut short',
    code: 'removal_unfinished',
    ask(w, token) {
      const facts = { affectedTotal: 2, unlinked: 1 }
      const failure = new Failure('removal_unfinished', facts, new Error(inside))
      vi.spyOn(w.deps, 'removeProvider').mockRejectedValue(failure)
      return w.remove(7, { token })
    },
  },
  {
    name: 'an issuer out of reach',
    code: 'issuer_unavailable',
    of: fetching,
    ask: (w, token) => w.list({ token }),
  },
  {
    name: 'an issuer that cannot be discovered',
    code: 'issuer_unavailable',
    of: discovering,
    ask: (w, token) => w.list({ token }),
  },
  {
    name: 'a throttled table',
    code: 'table_busy',
    ask: (w, token) => w.remove(7, { token }),
  },
  { name: 'a broken table', code: 'internal_error', ask: (w, token) => w.list({ token }) },
]
const breakage: Partial<Record<FailureCode, string>> = {
  table_busy: 'ProvisionedThroughputExceededException',
  internal_error: 'ValidationException',
}

afterEach(() => {
  vi.restoreAllMocks()
  service().client.middlewareStack.remove('breakTable')
})

test.each(rows)(
  '$name ($code) tells the client nothing from inside, and the log nothing of the token',
  async row => {
    const { code, of = service, claims = {}, ask } = row
    const w = of()
    w.logged.length = 0
    const token = w.token({ ...personal, ...claims })
    const error = breakage[code]
    if (error !== undefined) breakTable(w, error)
    const { status, headers, text, json } = await ask(w, token)
    expect([json().code, status]).toEqual([code, problemKinds[code].status])

    const sent = JSON.stringify([headers, String(text)])
    for (const inner of [...token.split('.'), ...inners(w)]) expect(sent).not.toContain(inner)
    expect(sent).not.toMatch(/personal/i)
    expect(sent).not.toMatch(/node_modules|\.[cm]?[jt]s\b|\w(Error|Exception)\b/)
    const logged = JSON.stringify(w.logged)
    expect(w.logged.map(({ event }) => event)).toContain('request_answered')
    for (const part of token.split('.')) expect(logged).not.toContain(part)
    expect(logged).not.toMatch(/personal|Bearer/i)
  },
)

test('every code that a function can answer is among them', () => {
  const { route_not_found: _, ...codes } = problemKinds
  expect(new Set(rows.map(({ code }) => code))).toEqual(new Set(Object.keys(codes)))
})

const inners = ({ tableName, client }: World) => [
  inside,
  'INTERNAL',
  tableName,
  String(client.constructor.name),
]

/** Until the end of the test every call to the table ends like this. */
function breakTable({ client }: World, name: string) {
  const error = Object.assign(new Error(inside), { name, $metadata: {} })
  client.middlewareStack.add(() => () => Promise.reject(error), {
    step: 'finalizeRequest',
    name: 'breakTable',
  })
}
