import { describe, expect, test } from 'vitest'
import type { User } from '../../lib/domain/resources.ts'
import { userItem } from '../../lib/store/items.ts'
import { type Links, sampleProvider, sampleUser, userId } from '../support/samples.ts'
import { scopes, world } from '../support/world.ts'
import { realm, refuses } from './refusal.ts'

describe('scopes', () => {
  const readOnly: object[] = [
    { scope: scopes.read },
    { scope: `openid ${scopes.read} profile` },
    { scope: [scopes.read] },
    { scope: undefined, scp: scopes.read },
    { scope: undefined, scp: ['openid', scopes.read] },
    { scope: undefined, permissions: [scopes.read] },
  ]
  test.each(readOnly)('%j may list, but not remove', async claims => {
    const w = await world()
    await w.putProvider(sampleProvider(7))
    const token = w.token(claims as Record<string, unknown>)
    expect((await w.list({ token })).status).toBe(200)
    const challenge = `${realm}, error="insufficient_scope", scope="${scopes.delete}"`
    await refuses(w, () => w.remove(7, { token }), 403, 'scope_missing', challenge)
  })

  const insufficient: object[] = [
    { scope: undefined },
    { scope: '' },
    { scope: `${scopes.read}:all` },
    { scope: `x${scopes.read}` },
    { scope: scopes.read.toUpperCase() },
    { scope: undefined, permissions: scopes.read },
    { scope: undefined, permissions: { 0: scopes.read } },
    { scope: undefined, scp: 1 },
    { scope: `${scopes.read},${scopes.delete}` },
    { scope: 1 },
    { scope: { 0: scopes.read } },
    { scope: undefined, roles: [scopes.read] },
  ]
  test.each(insufficient)('%j may not list', async claims => {
    const w = await world()
    const token = w.token(claims as Record<string, unknown>)
    const challenge = `${realm}, error="insufficient_scope", scope="${scopes.read}"`
    await refuses(w, () => w.list({ token }), 403, 'scope_missing', challenge)
  })

  test('are read from the configured claims', async () => {
    const [issuer] = (await world()).config.issuers
    const w = await world({ ISSUERS: JSON.stringify([{ ...issuer, scopeClaims: ['scp', 'roles'] }]) })
    const daemon = { scope: undefined, roles: [scopes.read] }
    expect((await w.list({ token: w.token(daemon) })).status).toBe(200)
    expect((await w.list({ token: w.token({ scope: scopes.read }) })).status).toBe(403)
  })

  test('have configurable names', async () => {
    const w = await world({ READ_SCOPE: 'idp.read' })
    expect((await w.list()).status).toBe(403)
    expect((await w.list({ token: w.token({ scope: 'idp.read' }) })).status).toBe(200)
  })
})

describe("the caller's own user", () => {
  const inactive: [string, (user: User) => User][] = [
    ['disabled', user => ({ ...user, is_disabled: true })],
    ['deleted', user => ({ ...user, deleted_at: { time: '2026-01-01T00:00:00.000Z', valid: true } })],
  ]
  test.each(inactive)('%s is 403 on both endpoints', async (_, change) => {
    const w = await world()
    await w.putProvider(sampleProvider(7))
    const id = 'abcdef00-0000-4000-8000-00000000000f'
    await w.put(userItem(change({ ...sampleUser(1), id })))
    for (const sub of [id, id.toUpperCase()]) {
      const token = w.token({ sub })
      await refuses(w, () => w.list({ token }), 403, 'caller_disabled')
      await refuses(w, () => w.remove(7, { token }), 403, 'caller_disabled')
    }
  })

  const upper = 'ABCDEF00-0000-4000-8000-00000000000F'
  const lower = upper.toLowerCase()
  const mixed = 'abcdef00-0000-4000-8000-00000000000F'
  test.each([
    { stored: lower, subjects: [lower, upper, mixed] },
    { stored: upper, subjects: [lower, upper, mixed] },
    { stored: mixed, subjects: [mixed] },
  ])('stored as $stored is found by $subjects alone', async ({ stored, subjects }) => {
    const w = await world()
    await w.put(userItem({ ...sampleUser(1), id: stored, is_disabled: true }))
    for (const sub of [lower, upper, mixed])
      expect((await w.list({ token: w.token({ sub }) })).status).toBe(subjects.includes(sub) ? 403 : 200)
  })

  test.each([upper, 'nightly-job', 'auth0|5f7c', 'ÄÖ', 'A'.repeat(256)])(
    'is found by its exact id when that is not a lower-case UUID: %s',
    async id => {
      const w = await world()
      await w.putProvider(sampleProvider(7))
      const token = w.token({ sub: id })
      await w.put(userItem({ ...sampleUser(1, { saml: 7 }), id }))
      await refuses(w, () => w.remove(7, { token }), 409, 'own_provider')
      await w.put(userItem({ ...sampleUser(1), id, is_disabled: true }))
      await refuses(w, () => w.list({ token }), 403, 'caller_disabled')
      expect((await w.list({ token: w.token({ sub: 'somebody-else' }) })).status).toBe(200)
    },
  )

  test.each([
    ['the one in lower case', lower, upper],
    ['the one in upper case', upper, lower],
    ['the exact one', mixed, lower],
  ])('when two match, is either: %s', async (_, decisive, other) => {
    const w = await world()
    await w.putProvider(sampleProvider(7))
    const token = w.token({ sub: mixed })
    await w.put(userItem({ ...sampleUser(1), id: other }))
    await w.put(userItem({ ...sampleUser(1, { saml: 7 }), id: decisive }))
    await refuses(w, () => w.remove(7, { token }), 409, 'own_provider')
    await w.put(userItem({ ...sampleUser(1), id: decisive, is_disabled: true }))
    await refuses(w, () => w.list({ token }), 403, 'caller_disabled')
  })

  test.each([
    { sub: userId(1), ids: [userId(1)] },
    { sub: lower, ids: [lower, upper] },
    { sub: upper, ids: [lower, upper] },
    { sub: mixed, ids: [lower, upper, mixed] },
    { sub: 'Nightly-Job', ids: ['Nightly-Job'] },
  ])('$sub is looked up by $ids', async ({ sub, ids }) => {
    const w = await world()
    const lookedUp: string[][] = []
    w.deps.findCaller = async ids => {
      lookedUp.push(ids)
      return []
    }
    await w.list({ token: w.token({ sub }) })
    expect(lookedUp).toEqual([ids])
  })

  const links: Links[] = [{ saml: 7 }, { sso: 70 }, { saml: 7, sso: 70 }]
  test.each(links)('linked to the provider by %j is 409 for its removal, and may list', async link => {
    const w = await world()
    await w.putProvider(sampleProvider(7, 70), [sampleUser(1, link)])
    const token = w.token({ sub: userId(1) })
    await refuses(w, () => w.remove(7, { token }), 409, 'own_provider')
    expect((await w.list({ token })).status).toBe(200)
  })

  test.each([{}, { saml: 8 }, { sso: 80 }] as Links[])(
    'linked by %j only to other providers may remove',
    async link => {
      const w = await world()
      await w.putProvider(sampleProvider(7, 70))
      await w.put(userItem(sampleUser(1, link)))
      expect((await w.remove(7, { token: w.token({ sub: userId(1) }) })).status).toBe(200)
    },
  )

  test('without an SSO provider is not linked to a provider without one', async () => {
    const w = await world()
    await w.putProvider(sampleProvider(7))
    await w.put(userItem(sampleUser(1)))
    expect((await w.remove(7, { token: w.token({ sub: userId(1) }) })).status).toBe(200)
  })

  test('need not exist: a machine client may remove', async () => {
    const w = await world()
    await w.putProvider(sampleProvider(7))
    expect((await w.remove(7, { token: w.token({ sub: 'nightly-job' }) })).status).toBe(200)
  })

  test('is found by the configured subject claim', async () => {
    const [issuer] = (await world()).config.issuers
    const w = await world({ ISSUERS: JSON.stringify([{ ...issuer, subjectClaim: 'user_id' }]) })
    await w.put(userItem({ ...sampleUser(1), is_disabled: true }))
    await refuses(w, () => w.list({ token: w.token({ user_id: userId(1) }) }), 403, 'caller_disabled')
  })
})

describe('an unauthorised caller does not learn whether a provider exists', () => {
  test.each([
    ['a token of another issuer', { iss: 'https://other.example' }, 401],
    ['only the read scope', { scope: scopes.read }, 403],
    ['a disabled user', { sub: userId(1) }, 403],
  ])('with %s a known and an unknown provider get the same answer', async (_, claims, status) => {
    const w = await world()
    await w.putProvider(sampleProvider(7, 70))
    await w.put(userItem({ ...sampleUser(1), is_disabled: true }))
    const token = w.token(claims)
    const [known, unknown, malformed] = [
      await w.remove(7, { token }),
      await w.remove(8, { token }),
      await w.remove('x', { token }),
    ]
    expect(known.status).toBe(status)
    expect(unknown).toMatchObject({ status, text: known.text, headers: known.headers })
    expect(malformed).toMatchObject({ status, text: known.text, headers: known.headers })
  })
})
