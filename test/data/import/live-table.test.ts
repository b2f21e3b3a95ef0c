import { expect, test } from 'vitest'
import { userItem } from '../../../infra/data/table/items.ts'
import type { User } from '../../../lib/domain/resources.ts'
import type { Item } from '../../../lib/store/items.ts'
import { type Plan, withoutPlan, withPlan } from '../../support/test-client.ts'
import { sampleProvider, sampleUser, userId } from '../../support/samples.ts'
import { before, filled, inState, itemsOf } from '../scenario.ts'

const update = true
const providers = [sampleProvider(7), sampleProvider(8)]
const without = (user: object, ...names: string[]) =>
  Object.fromEntries(Object.entries(user).filter(([name]) => !names.includes(name)))

test('an import tells which values differ', async () => {
  const users = [sampleUser(1, { saml: 7 }), sampleUser(2, { saml: 7 }), sampleUser(3)]
  const s = await filled(providers, users)
  const moved = { ...sampleUser(1, { saml: 8 }), first_name: null }
  const emptied = { ...sampleUser(2, { saml: 7 }), roles: [], AuthSecret: null }
  const unmentioned = without(sampleUser(3), 'roles', 'AuthSecret', 'last_login', 'first_name')
  const records = [{ ...sampleProvider(7), display_name: 'Other' }, moved, emptied, unmentioned]
  const fields = ['1: display_name', '2: saml_provider_id, first_name', '3: AuthSecret, roles']
  const told = (words: string) => fields.map(line => line.replace(':', `: ${words}`))

  const { counts, ...imported } = await s.import(records)
  expect(imported.told).toEqual(told('the table has other values, which --update changes:'))
  expect(counts.providers).toMatchObject({ written: 0, there: 0, differs: 1 })
  expect(counts.users).toMatchObject({ written: 0, there: 1, differs: 2 })
  const trial = await s.import(records, { update, dryRun: true })
  expect(trial.told).toEqual(told('--update changes'))
  const moves = { 7: { join: 0, leave: 1, leftOut: 0 }, 8: { join: 1, leave: 0, leftOut: 0 } }
  expect(Object.fromEntries(trial.movesOf)).toEqual(moves)
  expect(trial.counts).toMatchObject({ providers: { updated: 1 }, users: { there: 1, updated: 2 } })
  await s.has(providers, users)
})

test('an update changes only what the records mention', async () => {
  const s = await filled(providers, [sampleUser(1, { saml: 7, sso: 99 }), sampleUser(3)])
  // Another service keeps more in the secret and in a role.
  const theirs = { digest: 'x', totp_secret: 'y' }
  const [role] = sampleUser(4).roles
  const { AuthSecret, ...withoutSecret } = userItem(sampleUser(4))
  const roles = userItem({ ...sampleUser(4), roles: [role, { ...role, id: 2 }] } as User).roles as Item[]
  const ofOthers = [roles[0], { ...roles[1], colour: 'red' }]
  await s.put({ ...withoutSecret, roles: ofOthers, AuthSecret: { ...(AuthSecret as object), ...theirs } })
  const renamed = { ...sampleProvider(7), display_name: 'Other' }
  const moved = { ...sampleUser(1), first_name: null, saml_provider_id: 8 }
  const records = [
    renamed,
    without(moved, 'sso_provider_id', 'updated_at', 'roles', 'AuthSecret', 'last_login'),
    without(sampleUser(3), 'roles', 'AuthSecret', 'last_login', 'first_name'),
    { ...sampleUser(4), AuthSecret: null, roles: [{ ...role, id: 2 }] },
  ]
  await s.accepts(records, { update })
  const updated = {
    ...sampleUser(1, { saml: 8, sso: 99 }),
    first_name: { string: '', valid: false },
    // The record has no time for the change of the link.
    updated_at: new Date(s.clock.nowMs()).toISOString(),
  }
  const resources = itemsOf([renamed, sampleProvider(8)], [updated, sampleUser(3)])
  const kept = { ...withoutSecret, roles: ofOthers.slice(1), AuthSecret: theirs }
  expect(await s.items()).toEqual([...resources, kept])
  // The service shows no secret of which only the members of others are left.
  expect((await s.import(records)).counts.users).toMatchObject({ there: 3 })
})

test('an update without a link leaves the time of a user whose record has none', async () => {
  const s = await filled([], [sampleUser(1)])
  const { updated_at, ...renamed } = { ...sampleUser(1), principal_name: 'new' }
  await s.accepts([renamed], { update })
  await s.has([], [{ ...renamed, updated_at }])
})

test('an import overwrites no user whom another writer stores meanwhile', async () => {
  const s = await filled(providers.slice(0, 1), [])
  const others = [1, 3].map(n => ({ ...sampleUser(n), principal_name: 'other' }))
  const plan: Plan = async ({ operation, body, send }) => {
    if (operation === 'TransactWriteItems' && JSON.stringify(body).includes(userId(1)))
      await withoutPlan(() => s.put(...others.map(userItem)))
    return send()
  }
  const joining = [1, 2, 3, 4].map(n => sampleUser(n, { saml: n < 3 ? 7 : 8 }))
  const { told } = await withPlan(plan, () => s.import([...providers, ...joining]))
  const differs = 'the table has other values, which --update changes: saml_provider_id, principal_name'
  expect(told).toEqual([`3: ${differs}`, `5: ${differs}`])
  await s.has(providers, [...others, ...joining.filter((_, n) => n % 2 === 1)])
})

test('an update decides again when another writer changes a link or does the same', async () => {
  const all = [sampleProvider(7, 70), sampleProvider(8)]
  const s = await filled(all, [sampleUser(1, { saml: 7 }), sampleUser(2)])
  const { sso_provider_id, ...record } = sampleUser(1, { saml: 8 })
  const renamed = { ...sampleUser(2), principal_name: 'new' }
  let reads = 0
  let isChanged = false
  const plan: Plan = async ({ operation, body, send }) => {
    // After the comparison and the decision to write.
    if (operation === 'BatchGetItem' && ++reads === 3)
      await withoutPlan(() => s.import([renamed], { update }))
    // The transaction of both users is refused.
    const isOfOne = operation === 'TransactWriteItems' && !JSON.stringify(body).includes(userId(2))
    if (isOfOne && !isChanged) {
      isChanged = true
      await withoutPlan(() => s.import([sampleUser(1, { saml: 7, sso: 70 })], { update }))
    }
    return send()
  }
  const result = await withPlan(plan, () => s.accepts([record, renamed], { update, unlink: [7] }))
  expect(result.counts.users).toMatchObject({ updated: 1, there: 1 })
  await s.has(all, [sampleUser(1, { saml: 8, sso: 70 }), renamed])
})

test('an update changes no provider whose removal begins meanwhile', async () => {
  const s = await filled([sampleProvider(7)], [])
  const removing = inState('removing', itemsOf([sampleProvider(7)], []))
  const removal = before('TransactWriteItems', () => s.put(...removing))
  const renamed = { ...sampleProvider(7), display_name: 'new' }
  const { told, counts } = await withPlan(removal, () => s.import([renamed], { update }))
  expect(told).toEqual(['1: another writer has changed the provider 7 meanwhile'])
  expect(counts.providers).toMatchObject({ updated: 0, failed: 1 })
  expect(await s.items()).toEqual(removing)
})
