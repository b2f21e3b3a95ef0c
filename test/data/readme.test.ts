import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { TransactWriteItemsCommand } from '@aws-sdk/client-dynamodb'
import { expect, test } from 'vitest'
import { eraseUsers } from '../../infra/data/membership/change-users.ts'
import { repair } from '../../infra/data/verify/fault.ts'
import type { ProviderRecord } from '../../lib/domain/provider.ts'
import { providerRecordOf, userOf } from '../../lib/store/items.ts'
import { providers } from '../../lib/store/keys.ts'
import { type Plan, withoutPlan, withPlan } from '../support/test-client.ts'
import { int32, type Links, sampleProvider, sampleUser, userId } from '../support/samples.ts'
import { inState, itemsOf, never, scenario } from './scenario.ts'
import { repairable } from './verify/planted-faults.ts'
import { changed, validTable } from './verify/valid-table.ts'

const read = (file: string) => readFileSync(join(import.meta.dirname, '../../infra/data', file), 'utf8')
const jsonIn = (file: string) =>
  [...read(file).matchAll(/```json\n([\s\S]*?)```/g)].map(([, json = '']) => JSON.parse(json))
const [example] = jsonIn('README.md')
const policy = JSON.parse(read('policy.json'))

test('the policy of the README has exactly the rights of the commands, its example no fault', async () => {
  const s = await scenario()
  const faulty = repairable.map(([, changes]) => changes).reduce(changed, validTable)
  const needed = await actionsDuring(async () => {
    const { counts, unknown } = await s.accepts(example)
    expect(unknown).toEqual([])
    expect(counts).toMatchObject({ providers: { written: 1 }, users: { written: 1 } })
    expect((await s.find()).faults).toEqual([])
    await s.import([sampleUser(200, { saml: 1 })])
    await withoutPlan(() => s.put(...Object.values(faulty)))
    for (const { repair: one } of (await s.find()).faults)
      if (one) await s.clock.moving(repair(s.data, one, never))
    await eraseUsers(s.data, [userId(200)], never)
  })
  expect(needed).toEqual(policy.Statement[0].Action.toSorted())
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
  if (operation !== 'TransactWriteItems') return [operation]
  const kinds = (body.TransactItems as object[]).flatMap(Object.keys)
  return kinds.map(kind => (kind === 'ConditionCheck' ? 'ConditionCheckItem' : `${kind}Item`))
}

const ofWriters = (name: string) => JSON.parse(read(`membership/${name}.json`))
const [seven, , user] = ofWriters('items')
const { resource } = providerRecordOf(seven) as ProviderRecord

/** All items, when the user has these links. */
function itemsWith({ saml, sso }: Links, updated_at = user.updated_at) {
  const links = { saml_provider_id: int32(saml), sso_provider_id: int32(sso) }
  return itemsOf([resource, sampleProvider(8)], [{ ...userOf(user), ...links, updated_at }])
}

/** A table, and a request of the rules for writers, in which each action has a condition. */
async function requestNamed(name: string) {
  const s = await scenario()
  const request = ofWriters(name)
  const actions: Record<string, Record<string, unknown>>[] = request.TransactItems
  for (const action of actions.flatMap(Object.values)) action.TableName = s.tableName
  const [{ Update = {} } = {}] = actions
  return {
    ...s,
    now: (Update.ExpressionAttributeValues as { ':now': { S: string } })[':now'].S,
    send: () => s.client.send(new TransactWriteItemsCommand(request)),
    refused: (...Codes: string[]) => ({ CancellationReasons: Codes.map(Code => ({ Code })) }),
    actions,
  }
}

test('the items of the rules for writers are as the service writes them', () => {
  expect(itemsWith({ saml: 7, sso: 70 })).toEqual(expect.arrayContaining(ofWriters('items')))
})

const failed = 'ConditionalCheckFailed'
test.each<[string, Links, Links, state?: string]>([
  ['link', {}, { saml: 7, sso: 70 }],
  ['move', { saml: 7, sso: 70 }, { saml: 8 }],
  ['move', { saml: 7, sso: 70 }, { saml: 8 }, 'importing'],
  ['unlink', { saml: 7, sso: 70 }, {}],
  ['unlink', { saml: 7, sso: 70 }, {}, 'importing'],
])('the request %s makes these items once', async (name, before, after, state = 'active') => {
  const s = await requestNamed(name)
  const stored = (links: Links, updated_at?: string) =>
    itemsWith(links, updated_at).map(item => (item.id === 7 ? { ...item, state } : item))
  await s.put(...stored(before))
  await s.send()
  const written = stored(after, s.now)
  expect(await s.items()).toEqual(written)
  expect((await s.find()).faults).toHaveLength(state === 'active' ? 0 : 1)
  const inRemoval = inState('removing', written).filter(({ PK }) => PK === providers.PK)
  await s.put(...inRemoval)
  await expect(s.send()).rejects.toMatchObject(s.refused(...s.actions.map(() => failed)))
})

test('the request unlink-importing is refused once the membership is there', async () => {
  const s = await requestNamed('unlink-importing')
  const [membership = {}, ...linked] = itemsWith({ saml: 7, sso: 70 })
  const others = linked.map(item => (item.id === 7 ? { ...item, state: 'importing', member_count: 0 } : item))
  await s.put(...others)
  await s.send()
  const problem = expect.stringContaining('import of provider 7')
  expect((await s.find()).faults).toMatchObject([{ problem }])
  await s.put(...others, membership)
  await expect(s.send()).rejects.toMatchObject(s.refused('None', failed))
})
