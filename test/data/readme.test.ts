import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { TransactWriteItemsCommand } from '@aws-sdk/client-dynamodb'
import { expect, test } from 'vitest'
import { checkTable } from '../../infra/data/check-table.ts'
import { eraseUsers } from '../../infra/data/membership/erase-users.ts'
import { repair } from '../../infra/data/verify/repair.ts'
import type { ProviderRecord } from '../../lib/domain/provider.ts'
import {
  type Item,
  membershipItem,
  providerItem,
  providerRecordOf,
  userItem,
  userOf,
} from '../../lib/store/items.ts'
import { type Plan, withoutPlan, withPlan } from '../removal/faults.ts'
import { inOrder } from '../support/put-items.ts'
import { sampleProvider, sampleUser, userId } from '../support/samples.ts'
import { ndjson, never, scenario } from './scenario.ts'
import { repairable } from './verify/planted-faults.ts'
import { changed, validTable } from './verify/valid-table.ts'

const read = (file: string) => readFileSync(join(import.meta.dirname, '../../infra/data', file), 'utf8')
const jsonIn = (file: string) =>
  [...read(file).matchAll(/```json\n([\s\S]*?)```/g)].map(([, json = '']) => JSON.parse(json))
const [example, policy] = jsonIn('README.md')

test('the example of the README is imported without faults, and its policy has exactly the rights of the commands', async () => {
  const s = await scenario()
  const place = { tableName: s.tableName, where: '', variable: '' }
  const faulty = repairable.map(([, changes]) => changes).reduce(changed, validTable)
  const needed = await actionsDuring(async () => {
    await checkTable(s.data, place, true, () => {}, never)
    const { counts, faults, unknown } = await s.import(ndjson(...example))
    expect([faults, [...unknown]]).toEqual([[], []])
    expect(counts).toMatchObject({ providers: { written: 1 }, users: { written: 1 } })
    expect((await s.find()).faults).toEqual([])
    await s.import(ndjson(sampleUser(200, { saml: 1 })))
    await withoutPlan(() => s.put(...Object.values(faulty)))
    for (const { repair: one } of (await s.find()).faults)
      if (one) await s.clock.moving(repair(s.data, one, never))
    await eraseUsers(s.data, [userId(200)], never)
  })
  expect(needed).toEqual(policy.Statement[0].Action.toSorted())
})

const ofWriters = (name: string) => JSON.parse(read(`membership/${name}.json`))

test('the items of the rules for writers are as the service writes them', () => {
  const [provider, membership, user] = ofWriters('items')
  const { resource, memberCount } = providerRecordOf(provider) as ProviderRecord
  expect(providerItem(resource, memberCount ?? 0)).toEqual(provider)
  expect(membershipItem(resource.id, user.id)).toEqual(membership)
  expect(userItem(userOf(user))).toEqual(user)
})

const [seven, membership, user] = ofWriters('items')
const eight = providerItem(sampleProvider(8), 0)
const { saml_provider_id: _saml, sso_provider_id: _sso, ...unlinked } = user
const withMembers = (provider: Item, member_count: number) => ({ ...provider, member_count })
const linked = [withMembers(seven, 1), eight, membership, user]
const moved = [
  ...[withMembers(seven, 0), withMembers(eight, 1), { ...membership, PK: 'SAML_PROVIDER#8' }],
  { ...unlinked, saml_provider_id: 8 },
]
const before = [withMembers(seven, 0), eight, unlinked]

test.each<[string, Item[], Item[]]>([
  ['link', before, linked],
  ['move', linked, moved],
  ['unlink', linked, before],
])(
  'the request %s of the rules for writers makes these items, and nothing when one is not as it was read',
  async (name, stored, after) => {
    const s = await scenario()
    const request = ofWriters(name)
    for (const action of request.TransactItems)
      for (const kind of Object.keys(action)) action[kind].TableName = s.tableName
    const send = () => s.client.send(new TransactWriteItemsCommand(request))
    const updated_at = request.TransactItems[0].Update.ExpressionAttributeValues[':now'].S
    await s.put(...stored)
    await send()
    expect(await s.items()).toEqual(
      inOrder(after).map(item => (item.SK === 'USER' ? { ...item, updated_at } : item)),
    )
    expect((await s.find()).faults).toEqual([])
    // Each action has a condition, which does not hold any more.
    await s.put(...[seven, eight].map(provider => ({ ...provider, state: 'removing' })))
    const CancellationReasons = request.TransactItems.map(() => ({ Code: 'ConditionalCheckFailed' }))
    await expect(send()).rejects.toMatchObject({ CancellationReasons })
  },
)

/** The IAM actions of all calls of the work, in order. */
async function actionsDuring(work: () => Promise<void>): Promise<string[]> {
  const needed = new Set<string>()
  const plan: Plan = ({ operation, body, send }) => {
    for (const action of actionsOf(operation, body)) needed.add(`dynamodb:${action}`)
    return send()
  }
  await withPlan(plan, work)
  return [...needed].sort()
}

/** The IAM actions of a call: those of its parts for a transaction and for a batch of statements. */
function actionsOf(operation: string, body: Record<string, unknown>): string[] {
  if (operation === 'TransactWriteItems')
    return (body.TransactItems as object[])
      .flatMap(Object.keys)
      .map(kind => (kind === 'ConditionCheck' ? 'ConditionCheckItem' : `${kind}Item`))
  if (operation === 'BatchExecuteStatement')
    return (body.Statements as { Statement: string }[]).map(({ Statement }) =>
      Statement.startsWith('INSERT') ? 'PartiQLInsert' : 'PartiQLUpdate',
    )
  return [operation]
}
