import { describe, expect, test } from 'vitest'
import { segments } from '../../../infra/data/table/scan.ts'
import { repair } from '../../../infra/data/verify/fault.ts'
import { verifyTable } from '../../../infra/data/verify.ts'
import { providerItem, userItem } from '../../../infra/data/table/items.ts'
import type { Item } from '../../../lib/store/items.ts'
import { outputOf, type Plan, replyOf, withoutPlan, withPlan } from '../../support/test-client.ts'
import { captured } from '../../support/machine.ts'
import { nameOf } from '../../support/put-items.ts'
import { sampleProvider, sampleUser, userId } from '../../support/samples.ts'
import { cancelled } from '../membership/scenario.ts'
import { writers } from '../membership/writers.ts'
import { inState, itemsOf, never, scenario } from '../scenario.ts'
import { type Changes, changed, keyOf, retainedUntil, validTable } from './valid-table.ts'

/** A table with these items, and what verify finds beside a plan. */
async function tableOf(...items: Item[]) {
  const s = await scenario()
  await s.put(...items)
  return { ...s, findBeside: async (plan: Plan) => (await withPlan(plan, () => s.find())).faults }
}

const importing = (...users: ReturnType<typeof sampleUser>[]) =>
  inState('importing', itemsOf([sampleProvider(7, 70)], users))

describe('verify', () => {
  test('says only of a running import that it runs', async () => {
    const s = await tableOf()
    const links = [{ saml: 7 }, { sso: 70 }, { saml: 7, sso: 70 }]
    const written = importing(...Array.from({ length: 60 }, (_, n) => sampleUser(n, links[n % 3])))
    const plan: Plan = async ({ n, operation, send }) => {
      if (operation === 'Scan' && n === segments / 2) await withoutPlan(() => s.put(...written))
      return send()
    }
    const problem = expect.stringContaining('the import of provider 7 was interrupted or still runs')
    expect(await s.findBeside(plan)).toMatchObject([{ problem, repair: undefined }])
  })

  test('does not read the users of an interrupted import again', async () => {
    const [membership, ...rest] = importing(sampleUser(1, { saml: 7 }), sampleUser(2, { sso: 70 }))
    const s = await tableOf({ ...membership, expires_at: 4e9 }, ...rest)
    const operations = new Set<string>()
    const plan: Plan = ({ operation, send }) => {
      operations.add(operation)
      return send()
    }
    expect(await s.findBeside(plan)).toHaveLength(1)
    expect([...operations].sort()).toEqual(['DescribeTable', 'Query', 'Scan'])
  })

  test('reads an apparent fault again, because it may be half of a transaction', async () => {
    const s = await tableOf(...Object.values(validTable))
    let reads = 0
    const plan: Plan = async ({ operation, send }) => {
      const output = outputOf(await send())
      const lists = (output.Responses ?? output) as Record<string, unknown>
      // Neither the scan nor the first read after it returns the memberships.
      const isIncomplete = operation === 'Scan' || (operation === 'BatchGetItem' && reads++ === 0)
      const isOther = ({ PK }: { PK: { S: string } }) => !PK.S.startsWith('SAML_PROVIDER#1')
      for (const [name, list] of Object.entries(lists))
        if (isIncomplete && Array.isArray(list)) lists[name] = list.filter(isOther)
      return replyOf(output)
    }
    expect(await s.findBeside(plan)).toEqual([])
    expect(reads).toBe(2)
  })

  test('does not report a count that changes while the memberships are counted', async () => {
    const s = await tableOf(...Object.values(changed(validTable, { P3: { member_count: 5 } })))
    const plan: Plan = async ({ operation, body, send }) => {
      const reply = await send()
      if (operation === 'Query' && JSON.stringify(body).includes('SAML_PROVIDER#3'))
        await withoutPlan(() => writers(s.data).move(userId(7), { saml: 3 }))
      return reply
    }
    expect(await s.findBeside(plan)).toEqual([])
  })

  test.each([
    ['ConditionalCheckFailed', /^an item has changed since it was read \(SAML_PROVIDERS .*7\): run verify/],
    ['ValidationError', /^Item size too large$/],
  ])('tries a repair once and says why it did not happen: %s', async (Code, reason) => {
    const s = await tableOf(providerItem(sampleProvider(7), 1))
    const operations: string[] = []
    const plan: Plan = async ({ operation, send }) => {
      operations.push(operation)
      if (operation !== 'TransactWriteItems') return send()
      throw Object.assign(cancelled(), { CancellationReasons: [{ Code, Message: 'Item size too large' }] })
    }
    const verify = () => s.clock.moving(verifyTable(s.data, true, never))
    const { code, stdout } = await withPlan(plan, () => captured(verify))
    const [, , again, text = '', end] = stdout.split('\n')
    const [label, sentence = ''] = text.split(/(?<=repaired): /)
    expect([code, label, sentence]).toEqual([1, '  not repaired', expect.stringMatching(reason)])
    expect(again).toMatch(/PROVIDER#0000000007: member_count is 1, but it has 0 memberships$/)
    expect(end).toContain('1 faults; repaired: 0.')
    expect(operations.filter(one => one === 'Scan')).toHaveLength(segments)
  })
})

/** A fault of the first item, and what another writer writes between its detection and its repair. */
test.each<[string, Changes, Changes]>([
  ['the user of a membership appears', { 'M1.55': {} }, { U55: userItem(sampleUser(55, { saml: 1 })) }],
  ['the user of a membership is linked', { 'M1.7': {} }, { U7: { saml: 1 } }],
  ['a user without a membership is unlinked', { U7: { saml: 2 } }, { U7: { saml: undefined } }],
  ['a user without one is linked elsewhere', { U7: { saml: 2 } }, { U7: { saml: 3 } }],
  ['the user gets a link to no provider', { 'M8.7': {} }, { U7: { saml: 8 } }],
  ['the provider of a membership appears', { 'M8.1': {} }, { P8: providerItem(sampleProvider(8), 1) }],
  ['a wrong count gets another value', { P3: { member_count: 5 } }, { P3: { member_count: 6 } }],
  ['a provider with a wrong count is removed', { P3: { member_count: 5 } }, { P3: { state: 'removing' } }],
  ['an expiry becomes a mark', { 'M1.1': { expires_at: 4e9 } }, { P1: { state: 'removing' } }],
  ['a removal unlinks the user', { 'M4.6': { expires_at: retainedUntil } }, { U6: { saml: undefined } }],
  ['a provider without one is removed', { U7: { saml: 2 } }, { P2: { state: 'removing' } }],
  ['a provider with a stray membership is removed', { 'M1.7': {} }, { P1: { state: 'removing' } }],
  ['the provider gets its first sso_provider_id', { 'M2.8': {} }, { P2: { sso: 99 } }],
  ['an end that is a text becomes a time', { 'M8.1': { expires_at: 'x' } }, { 'M8.1': { expires_at: 4e9 } }],
  ['the missing membership appears', { U7: { saml: 2 } }, { 'M2.7': {} }],
])('repairs nothing when, meanwhile, %s', async (_, changes, meanwhile) => {
  const table = changed(validTable, changes)
  const s = await tableOf(...Object.values(table))
  const place = nameOf(keyOf(Object.keys(changes)[0] as string))
  const found = (await s.find()).faults.filter(fault => fault.place === place)
  await s.put(...Object.values(changed(table, meanwhile)))
  const before = await s.items()
  expect(found).toHaveLength(1)
  for (const { repair: one } of found)
    expect(one && (await s.clock.moving(repair(s.data, one, never)))).toMatch(/^an item has changed/)
  expect(await s.items()).toEqual(before)
})
