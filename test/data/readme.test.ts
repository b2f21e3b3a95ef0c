import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { TransactWriteItemsCommand } from '@aws-sdk/client-dynamodb'
import { expect, test } from 'vitest'
import { checkTable } from '../../infra/data/check-table.ts'
import { repair } from '../../infra/data/verify/repair.ts'
import { rules } from '../../infra/data/verify/find-faults.ts'
import { memberships } from '../../infra/data/membership/memberships.ts'
import type { ProviderRecord } from '../../lib/domain/provider.ts'
import {
  type Item,
  membershipItem,
  providerItem,
  providerRecordOf,
  userItem,
  userOf,
} from '../../lib/store/items.ts'
import { type Plan, withPlan } from '../removal/faults.ts'
import { inOrder } from '../support/put-items.ts'
import { sampleProvider, sampleUser, userId } from '../support/samples.ts'
import { ndjson, never, scenario } from './scenario.ts'
import { scenario as memberScenario } from './membership/scenario.ts'
import { repairable } from './verify/planted-faults.ts'
import { changed, validTable } from './verify/valid-table.ts'

const read = (file: string) => readFileSync(join(import.meta.dirname, '../../infra/data', file), 'utf8')
const jsonIn = (file: string) =>
  [...read(file).matchAll(/```json\n([\s\S]*?)```/g)].map(([, json = '']) => JSON.parse(json))
const [example, policy] = jsonIn('README.md')

test('the example of the README is imported without faults', async () => {
  const s = await scenario()
  const { counts, faults, seen } = await s.import(ndjson(...example))
  expect([faults, [...seen.unknown]]).toEqual([[], []])
  expect(counts).toMatchObject({ providers: { written: 1 }, users: { written: 1 } })
  expect((await s.find()).faults).toEqual([])
})

test('the policy of the README has exactly the rights that the commands need', async () => {
  const s = await scenario()
  const items = repairable.map(({ changes }) => changes).reduce(changed, validTable)
  await s.put(...Object.values(items))
  const place = { tableName: s.tableName, where: '', variable: '' }
  const needed = await actionsDuring(async () => {
    await checkTable(s.data, place, true, () => {}, never)
    await s.import(ndjson(...example.map((one: object) => ({ ...one, id: 99 }))))
    await s.import(ndjson(sampleUser(200, { saml: 1 }), sampleUser(201)))
    await s.import(ndjson(sampleProvider(98), sampleUser(202, { saml: 98 })))
    const { faults } = await s.find()
    for (const { repair: one } of faults) if (one) await s.clock.moving(repair(s.data, one, never))
    await memberships(s.data).erase(userId(200))
  })
  expect(needed).toEqual(policy.Statement[0].Action.toSorted())
})

test('the table of faults in the README has the rules of verify', () => {
  const section = read('README.md')
    .split('\n## ')
    .find(text => text.startsWith('Verify and repair'))
  const [, ...rows] = [...(section ?? '').matchAll(/^\| (.*) \|$/gm)].map(([, row]) => row)
  expect(rows).toEqual(rules.map(({ wrong, mends = 'none', why }) => [wrong, mends, why].join(' | ')))
})

test('the policy of the package for other writers has exactly the rights that it needs', async () => {
  const s = await memberScenario([{}])
  const needed = await actionsDuring(async () => {
    await s.link(1, { saml: 7 })
    await s.move(1, { saml: 8 })
    await s.unlink(1, 8)
    await s.erase(1)
  })
  expect(needed).toEqual(JSON.parse(read('membership/package/policy.json')).Statement[0].Action.toSorted())
})

test('the items of the rules for writers are as the service writes them', () => {
  const [provider, membership, user] = jsonIn('membership/README.md')
  const { resource, memberCount } = providerRecordOf(provider) as ProviderRecord
  expect(providerItem(resource, memberCount ?? 0)).toEqual(provider)
  expect(membershipItem(resource.id, user.id)).toEqual(membership)
  expect(userItem(userOf(user))).toEqual(user)
})

test('the requests of the rules for writers make their three items and undo that, and nothing when one is not as it was read', async () => {
  const s = await scenario()
  const [provider, membership, user, link, unlink] = jsonIn('membership/README.md')
  const { saml_provider_id, sso_provider_id, ...unlinked } = user
  await s.put({ ...provider, member_count: 0 }, { ...unlinked, updated_at: provider.updated_at })
  const refused = { Code: 'ConditionalCheckFailed' } // each of the three conditions
  const sendTwice = async (request: typeof link, ...[stored, ...others]: [Item, ...Item[]]) => {
    for (const action of request.TransactItems)
      for (const kind of Object.keys(action)) action[kind].TableName = s.tableName
    const send = () => s.client.send(new TransactWriteItemsCommand(request))
    await send()
    expect(await s.items()).toEqual(inOrder([stored, ...others]))
    await s.put({ ...stored, state: 'removing' })
    await expect(send()).rejects.toMatchObject({ CancellationReasons: [refused, refused, refused] })
    await s.put(stored)
  }
  await sendTwice(link, provider, membership, user)
  const [{ Update }] = unlink.TransactItems
  const updated_at = Update.ExpressionAttributeValues[':now'].S
  await sendTwice(unlink, { ...provider, member_count: 0 }, { ...unlinked, updated_at })
  expect((await s.find()).faults).toEqual([])
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
