import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { TransactWriteItemsCommand } from '@aws-sdk/client-dynamodb'
import { expect, test } from 'vitest'
import { eraseUsers } from '../../infra/data/membership/change-users.ts'
import { repair } from '../../infra/data/verify/fault.ts'
import type { ProviderRecord } from '../../lib/domain/provider.ts'
import { type Item, providerRecordOf, userOf } from '../../lib/store/items.ts'
import { providers } from '../../lib/store/keys.ts'
import { type Plan, withoutPlan, withPlan } from '../support/test-client.ts'
import { int32, type Links, sampleProvider, sampleUser, userId } from '../support/samples.ts'
import { itemsOf, ndjson, never, scenario } from './scenario.ts'
import { repairable } from './verify/planted-faults.ts'
import { changed, validTable } from './verify/valid-table.ts'

const read = (file: string) => readFileSync(join(import.meta.dirname, '../../infra/data', file), 'utf8')
const jsonIn = (file: string) =>
  [...read(file).matchAll(/```json\n([\s\S]*?)```/g)].map(([, json = '']) => JSON.parse(json))
const [example] = jsonIn('README.md')
const policy = JSON.parse(read('policy.json'))

test('the example of the README is imported without faults, and its policy has exactly the rights of the commands', async () => {
  const s = await scenario()
  const faulty = repairable.map(([, changes]) => changes).reduce(changed, validTable)
  const needed = await actionsDuring(async () => {
    const { counts, told, unknown } = await s.import(ndjson(...example))
    expect([told, unknown]).toEqual([[], []])
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

const [seven, , user] = ofWriters('items')
const { resource } = providerRecordOf(seven) as ProviderRecord

/** All items, when the user has these links. */
function itemsWith({ saml, sso }: Links, updated_at = user.updated_at) {
  const links = { saml_provider_id: int32(saml), sso_provider_id: int32(sso) }
  return itemsOf([resource, sampleProvider(8)], [{ ...userOf(user), ...links, updated_at }])
}

test('the items of the rules for writers are as the service writes them', () => {
  expect(itemsWith({ saml: 7, sso: 70 })).toEqual(expect.arrayContaining(ofWriters('items')))
})

test.each<[string, Links, Links, state?: string]>([
  ['link', {}, { saml: 7, sso: 70 }],
  ['move', { saml: 7, sso: 70 }, { saml: 8 }],
  ['move', { saml: 7, sso: 70 }, { saml: 8 }, 'importing'],
  ['unlink', { saml: 7, sso: 70 }, {}],
  ['unlink', { saml: 7, sso: 70 }, {}, 'importing'],
])(
  'the request %s of the rules for writers makes these items, and nothing when one is not as it was read',
  async (name, before, after, state = 'active') => {
    const s = await scenario()
    const request = ofWriters(name)
    for (const action of request.TransactItems)
      for (const kind of Object.keys(action)) action[kind].TableName = s.tableName
    const send = () => s.client.send(new TransactWriteItemsCommand(request))
    const inState = (items: Item[]) => items.map(item => (item.id === 7 ? { ...item, state } : item))
    await s.put(...inState(itemsWith(before)))
    await send()
    const now = request.TransactItems[0].Update.ExpressionAttributeValues[':now'].S
    const written = inState(itemsWith(after, now))
    expect(await s.items()).toEqual(written)
    expect((await s.find()).faults).toHaveLength(state === 'active' ? 0 : 1)
    // Each action has a condition, which does not hold any more.
    await s.put(
      ...written.filter(({ PK }) => PK === providers.PK).map(one => ({ ...one, state: 'removing' })),
    )
    const CancellationReasons = request.TransactItems.map(() => ({ Code: 'ConditionalCheckFailed' }))
    await expect(send()).rejects.toMatchObject({ CancellationReasons })
  },
)

test('the request unlink-importing of the rules for writers is refused once the membership is there', async () => {
  const s = await scenario()
  const request = ofWriters('unlink-importing')
  for (const action of request.TransactItems)
    for (const kind of Object.keys(action)) action[kind].TableName = s.tableName
  const send = () => s.client.send(new TransactWriteItemsCommand(request))
  const linked = itemsWith({ saml: 7, sso: 70 }).map(item =>
    item.id === 7 ? { ...item, state: 'importing', member_count: 0 } : item,
  )
  const [membership = {}, ...others] = linked
  await s.put(...others)
  await send()
  expect((await s.find()).faults).toMatchObject([
    { problem: expect.stringContaining('import of provider 7') },
  ])
  await s.put(...others, membership)
  const CancellationReasons = [{ Code: 'None' }, { Code: 'ConditionalCheckFailed' }]
  await expect(send()).rejects.toMatchObject({ CancellationReasons })
})

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

/** The IAM actions of a call: those of its parts for a transaction. */
function actionsOf(operation: string, body: Record<string, unknown>): string[] {
  if (operation === 'TransactWriteItems')
    return (body.TransactItems as object[])
      .flatMap(Object.keys)
      .map(kind => (kind === 'ConditionCheck' ? 'ConditionCheckItem' : `${kind}Item`))
  return [operation]
}
