import { expect, test } from 'vitest'
import type { User } from '../../../lib/domain/resources.ts'
import { userItem } from '../../../infra/data/table/items.ts'
import { type Plan, withoutPlan, withPlan } from '../../support/test-client.ts'
import { sampleProvider, sampleUser, userId } from '../../support/samples.ts'
import { filled, itemsOf, ndjson } from '../scenario.ts'

const update = true

test('an import tells what differs; an update changes what the records mention', async () => {
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
  const records = ndjson(renamed, moved, bare, fewOf(3), withoutOwn)

  const { told, counts } = await s.import(records)
  const differing = 'the table has other values, which --update changes:'
  expect(told).toEqual([
    `1: ${differing} display_name`,
    `2: ${differing} saml_provider_id, first_name`,
    `3: ${differing} AuthSecret, roles`,
    `5: ${differing} AuthSecret`,
  ])
  expect(counts).toMatchObject({
    providers: { written: 0, there: 0, differs: 1 },
    users: { written: 0, there: 1, differs: 3 },
  })
  expect(await s.items()).toEqual(before)

  const trial = await s.import(records, { update, dryRun: true })
  expect(trial.told).toEqual(told.map(line => line.replace(differing, '--update changes')))
  expect(trial.movesOf.get(8)).toEqual({ join: 1, leave: 0, leftOut: 0 })
  expect(trial.counts).toMatchObject({ providers: { updated: 1 }, users: { there: 1, updated: 3 } })
  expect(await s.items()).toEqual(before)

  expect((await s.import(records, { update })).told).toEqual([])
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

test('an import never overwrites a user whom another writer stores meanwhile', async () => {
  const providers = [sampleProvider(7), sampleProvider(8)]
  const s = await filled(providers.slice(0, 1), [])
  const [one, other] = [1, 3].map(n => ({ ...sampleUser(n), principal_name: 'other' }))
  const plan: Plan = async ({ operation, body, send }) => {
    if (operation === 'TransactWriteItems' && JSON.stringify(body).includes(userId(1)))
      await withoutPlan(() => s.put(...[one, other].map(user => userItem(user as User))))
    return send()
  }
  const joining = [1, 2, 3, 4].map(n => sampleUser(n, { saml: n < 3 ? 7 : 8 }))
  const result = await withPlan(plan, () => s.import(ndjson(...providers, ...joining)))
  const differs = 'the table has other values, which --update changes: saml_provider_id, principal_name'
  expect(result.told).toEqual([`3: ${differs}`, `5: ${differs}`])
  const [, two, , four] = joining
  expect(await s.items()).toEqual(itemsOf(providers, [one, two, other, four] as typeof joining))
})

test('an update notices that another writer has changed the other link, or made the same change', async () => {
  const providers = [sampleProvider(7, 70), sampleProvider(8)]
  const s = await filled(providers, [sampleUser(1, { saml: 7 }), sampleUser(2)])
  const { sso_provider_id, ...record } = sampleUser(1, { saml: 8 })
  const renamed = { ...sampleUser(2), principal_name: 'new' }
  let reads = 0
  let isChanged = false
  const plan: Plan = async ({ operation, body, send }) => {
    // After the comparison and the decision to write.
    if (operation === 'BatchGetItem' && ++reads === 3)
      await withoutPlan(() => s.import(ndjson(renamed), { update }))
    // The transaction of both users is refused.
    const isOfOne = operation === 'TransactWriteItems' && !JSON.stringify(body).includes(userId(2))
    if (isOfOne && !isChanged) {
      isChanged = true
      await withoutPlan(() => s.import(ndjson(sampleUser(1, { saml: 7, sso: 70 })), { update }))
    }
    return send()
  }
  const records = ndjson(record, renamed)
  const result = await withPlan(plan, () => s.import(records, { update, unlink: [7] }))
  expect(result.told).toEqual([])
  expect(result.counts.users).toMatchObject({ updated: 1, there: 1 })
  expect(await s.items()).toEqual(itemsOf(providers, [sampleUser(1, { saml: 8, sso: 70 }), renamed]))
})

test('an update changes no provider whose removal begins meanwhile', async () => {
  const s = await filled([sampleProvider(7)], [])
  const [removing = {}] = itemsOf([sampleProvider(7)], []).map(item => ({ ...item, state: 'removing' }))
  const plan: Plan = async ({ operation, send }) => {
    if (operation === 'TransactWriteItems') await withoutPlan(() => s.put(removing))
    return send()
  }
  const records = ndjson({ ...sampleProvider(7), display_name: 'new' })
  const { told } = await withPlan(plan, () => s.import(records, { update }))
  expect(told).toEqual(['1: another writer has changed the provider 7 meanwhile'])
  expect(await s.items()).toEqual([removing])
})

test('an update sets the time of a user only for a link, when the record has none', async () => {
  const s = await filled([sampleProvider(7)], [sampleUser(1), sampleUser(2)])
  const { updated_at, ...timeless } = sampleUser(1)
  const { updated_at: _, ...linked } = sampleUser(2, { saml: 7 })
  await s.import(ndjson({ ...timeless, principal_name: 'new' }, linked), { update })
  const expected = [
    { ...sampleUser(1), principal_name: 'new' },
    { ...sampleUser(2, { saml: 7 }), updated_at: new Date(s.clock.nowMs()).toISOString() },
  ]
  expect(await s.items()).toEqual(itemsOf([sampleProvider(7)], expected))
})
