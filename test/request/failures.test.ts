import { afterEach, expect, test, vi } from 'vitest'
import { Failure, type FailureCode } from '../../lib/domain/failure.ts'
import { problemKinds } from '../../lib/http/problem.ts'
import type { LogEvent } from '../../lib/log.ts'
import { userId } from '../support/samples.ts'
import { fetchedKeys, type World } from '../support/world.ts'
import { untouched } from './scenario.ts'

const internal = 'INTERNAL at /var/task/secret.ts:1'
const service = untouched({})
const retired = untouched({ RETIRED: 'true' })
const fetching = untouched(fetchedKeys)

type Sign = (claims?: Record<string, unknown>) => { token: string }
type Row = [
  code: FailureCode,
  name: string,
  send: (w: World, sign: Sign) => ReturnType<World['list']>,
  retryAfter?: string | undefined,
  of?: () => World,
]

const rows: Row[] = [
  ['credentials_missing', 'a token elsewhere', (w, sign) => w.list({ headers: [['X-Key', sign().token]] })],
  ['token_rejected', 'a foreign token', (w, sign) => w.list(sign({ iss: 'https://PERSONAL.example' }))],
  ['token_rejected', 'a claim of a wrong type', (w, sign) => w.list(sign({ aud: { personal: true } }))],
  ['scope_missing', 'another scope', (w, sign) => w.remove(7, sign({ scope: 'personal' }))],
  ['caller_disabled', 'a disabled caller', (w, sign) => w.remove(7, sign({ sub: userId(2) }))],
  ['provider_not_found', 'an invalid id', (w, sign) => w.remove(internal, sign())],
  ['own_provider', "the caller's own provider", (w, sign) => w.remove(7, sign({ sub: userId(1) }))],
  ['endpoint_retired', 'a retired endpoint', (w, sign) => w.list(sign()), undefined, retired],
  ['answer_too_large', 'a huge list', listFailing(new Failure('answer_too_large'))],
  ['wait_expired', 'a wait of 0', (w, sign) => w.list({ ...sign(), more: [['Prefer', 'wait=0']] }), '1'],
  ['removal_unfinished', 'an unfinished removal', removeHalf, '1'],
  ['issuer_unavailable', 'an unreachable issuer', (w, sign) => w.list(sign()), '10', fetching],
  ['table_busy', 'a busy table', listFailing(new Failure('table_busy', {}, new Error(internal))), '5'],
  ['internal_error', 'a bug', listFailing(new TypeError(internal))],
]

/** The event that tells the operators why, before the one of the answer. */
const eventBefore: Partial<Record<FailureCode, LogEvent>> = {
  token_rejected: 'token_rejected',
  issuer_unavailable: 'issuer_unavailable',
  table_busy: 'table_busy',
  internal_error: 'unexpected_error',
}

afterEach(() => void vi.restoreAllMocks())

test.each(rows)(
  '%s: the answer to %s is a problem that discloses nothing',
  async (code, _, send, retryAfter, of = service) => {
    const w = of()
    w.logged.length = 0
    const parts: string[] = []
    // The world compares each answer with the description: its status, its headers, and the members of the problem.
    const { headers, text, json } = await send(w, claims => {
      const token = w.token({ email: 'admin@personal.example', name: 'Ada Personal', ...claims })
      parts.push(...token.split('.'))
      return { token }
    })
    expect([json().code, headers['Retry-After']]).toEqual([code, retryAfter])

    const sent = JSON.stringify([headers, String(text)])
    for (const secret of [...parts, 'INTERNAL', w.tableName, w.client.constructor.name])
      expect(sent).not.toContain(secret)
    expect(sent).not.toMatch(/personal/i)
    expect(sent).not.toMatch(/node_modules|\.[cm]?[jt]s\b|\w(Error|Exception)\b/)
    const logged = JSON.stringify(w.logged)
    expect(w.logged.slice(-2).map(({ event }) => event)).toEqual(
      [eventBefore[code] ?? [], 'request_answered'].flat(),
    )
    if (code === 'internal_error') expect(logged).toContain(internal)
    for (const part of parts) expect(logged).not.toContain(part)
    expect(logged).not.toMatch(/personal|Bearer/i)
  },
)

test('every code of the functions has a row', () => {
  const codes = new Set(rows.map(([code]) => code))
  expect(codes, 'add a request that gets the code to the rows above').toEqual(
    new Set(Object.keys(problemKinds)),
  )
})

function listFailing(error: Error): Row[2] {
  return (w, sign) => {
    vi.spyOn(w.deps, 'listProviders').mockRejectedValue(error)
    return w.list(sign())
  }
}

function removeHalf(w: World, sign: Sign) {
  const failure = new Failure('removal_unfinished', { knownTotal: 2, unlinked: 1 }, new Error(internal))
  vi.spyOn(w.deps, 'removeProvider').mockRejectedValue(failure)
  return w.remove(7, sign())
}
