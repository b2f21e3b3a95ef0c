import { expect, test } from 'vitest'
import { userItem } from '../../../lib/store/items.ts'
import { type Plan, withoutPlan, withPlan } from '../../removal/faults.ts'
import { sampleProvider, sampleUser, userId } from '../../support/samples.ts'
import { filled, itemsOf, ndjson } from '../scenario.ts'

const update = true

test('an import lists what differs and changes nothing; an update changes what the records mention, after a dry run has told it', async () => {
  const providers = [sampleProvider(7), sampleProvider(8)]
  const users = [sampleUser(1, { saml: 7, sso: 99 }), sampleUser(2), sampleUser(3)]
  const s = await filled(providers, users)
  // Another service keeps more in the secret.
  const theirs = { digest: 'x', totp_secret: 'y' }
  const { AuthSecret, ...withoutSecret } = userItem(sampleUser(4))
  await s.put({ ...withoutSecret, AuthSecret: { ...(AuthSecret as object), ...theirs } })
  const before = await s.items()
  const renamed = { ...sampleProvider(7), display_name: 'Other' }
  const fewOf = (n: number) => {
    const { id, principal_name, is_disabled, eula_accepted, all_environments } = sampleUser(n)
    return { id, principal_name, is_disabled, eula_accepted, all_environments }
  }
  const moved = { ...fewOf(1), first_name: null, saml_provider_id: 8 }
  const bare = { ...sampleUser(2), roles: [], AuthSecret: null }
  const withoutOwn = { ...sampleUser(4), AuthSecret: null }
  const records = ndjson(renamed, moved, bare, fewOf(3), withoutOwn, sampleUser(2, { sso: 99 }))
  const twice = `6: the user ${userId(2)} is already in the input`

  const { faults, counts } = await s.import(records)
  expect(faults).toEqual([
    twice,
    '2: differs in saml_provider_id, first_name',
    '3: differs in AuthSecret, roles',
    '5: differs in AuthSecret',
    '1: differs in display_name',
  ])
  expect(counts).toMatchObject({
    providers: { read: 1, written: 0, there: 0, differs: 1, refused: 0 },
    users: { read: 5, written: 0, there: 1, differs: 3, refused: 1 },
  })
  expect(await s.items()).toEqual(before)

  const { told } = await s.import(records, { update, dryRun: true })
  const unmoved = { moves: { join: [], leave: [], leftOut: [] } }
  expect(told.slice(1).map(({ outcome }) => outcome)).toEqual([
    {
      is: 'updated',
      fields: ['saml_provider_id', 'first_name'],
      moves: { join: [8], leave: [7], leftOut: [] },
    },
    { is: 'updated', fields: ['AuthSecret', 'roles'], ...unmoved },
    { is: 'there', ...unmoved },
    { is: 'updated', fields: ['AuthSecret'], ...unmoved },
    { is: 'updated', fields: ['display_name'] },
  ])
  expect(await s.items()).toEqual(before)

  expect((await s.import(records, { update, unlink: [7] })).faults).toEqual([twice])
  const updated = {
    ...sampleUser(1, { saml: 8, sso: 99 }),
    first_name: { string: '', valid: false },
    // The record has no time for the change of the link.
    updated_at: new Date(s.clock.nowMs()).toISOString(),
  }
  const expected = [
    ...itemsOf([renamed, sampleProvider(8)], [updated, bare, sampleUser(3)]),
    { ...withoutSecret, AuthSecret: theirs },
  ]
  expect(await s.items()).toEqual(expected)
  // The service shows no secret of which only the members of others are left.
  expect((await s.import(records)).counts.users).toMatchObject({ there: 4 })
  expect((await s.find()).faults).toEqual([])
})

test('an update refuses what would change the links of other users, or make two providers of one name', async () => {
  const stored = [sampleProvider(7, 70), ...[8, 9, 10, 11, 12].map(id => sampleProvider(id))]
  const users = [sampleUser(1, { sso: 70 })]
  const s = await filled(stored, users)
  const named = (id: number, name: string) => ({ ...sampleProvider(id), name })
  const refused = [sampleProvider(7, 71), named(8, 'provider-7'), named(9, 'new'), named(10, 'new')]
  // A name that a provider gives up is free.
  const renamed = [named(11, 'provider-12'), named(12, 'newer'), named(13, 'provider-11')]
  expect((await s.import(ndjson(...refused, ...renamed), { update })).faults).toEqual([
    '1: the provider 7 has another sso_provider_id in the table, by which its users are linked: it cannot be changed',
    '2: the name "provider-7" is that of the provider 7',
    '3: the name "new" is that of the provider 10',
    '4: the name "new" is that of the provider 9',
  ])
  expect(await s.items()).toEqual(itemsOf([...stored.slice(0, 4), ...renamed], users))
})

test('an import never overwrites a user whom another writer stores meanwhile', async () => {
  const providers = [sampleProvider(7), sampleProvider(8)]
  const s = await filled(providers.slice(0, 1), [])
  const [one, other] = [1, 3].map(n => ({ ...sampleUser(n), principal_name: 'other' }))
  const rivals: Record<string, typeof one> = { TransactWriteItems: one, BatchExecuteStatement: other }
  const plan: Plan = async ({ operation, send }) => {
    const rival = rivals[operation]
    if (rival !== undefined) await withoutPlan(() => s.put(userItem(rival)))
    return send()
  }
  const joining = [1, 2, 3, 4].map(n => sampleUser(n, { saml: n < 3 ? 7 : 8 }))
  const { result } = await withPlan(plan, () => s.import(ndjson(...providers, ...joining)))
  const differs = 'differs in saml_provider_id, principal_name'
  expect(result.faults).toEqual([`3: ${differs}`, `5: ${differs}`])
  const [, two, , four] = joining
  expect(await s.items()).toEqual(itemsOf(providers, [one, two, other, four] as typeof joining))
})

test('an update of one link notices that another writer has changed the other, or has made the same change', async () => {
  const providers = [sampleProvider(7, 70), sampleProvider(8)]
  const s = await filled(providers, [sampleUser(1, { saml: 7 }), sampleUser(2)])
  const { sso_provider_id, ...record } = sampleUser(1, { saml: 8 })
  const renamed = { ...sampleUser(2), principal_name: 'new' }
  let reads = 0
  let isChanged = false
  const plan: Plan = async ({ operation, send }) => {
    // After those of the trial and of the decision to write.
    if (operation === 'BatchGetItem' && ++reads === 3)
      await withoutPlan(() => s.import(ndjson(renamed), { update }))
    if (operation === 'TransactWriteItems' && !isChanged) {
      isChanged = true
      await withoutPlan(() => s.import(ndjson(sampleUser(1, { saml: 7, sso: 70 })), { update }))
    }
    return send()
  }
  const records = ndjson(record, renamed)
  const { result } = await withPlan(plan, () => s.import(records, { update, unlink: [7] }))
  expect(result.faults).toEqual([])
  expect(result.counts.users).toMatchObject({ updated: 1, there: 1 })
  expect(await s.items()).toEqual(itemsOf(providers, [sampleUser(1, { saml: 8, sso: 70 }), renamed]))
})
