import { expect, test } from 'vitest'
import { providerItem } from '../../infra/data/table/encoding.ts'
import { Crash } from '../removal/fates.ts'
import { type Links, sampleProvider, userId } from '../support/samples.ts'
import { type Plan, replyOf, withoutPlan, withPlan } from '../support/test-client.ts'
import { writers } from '../support/writers.ts'
import type { Scenario } from './scenario.ts'
import { members, removed } from './undo-scenario.ts'

/** Users 1 and 2 get other links, users 3 and 6 the new one, and users 4 and 5 are erased. */
async function change(s: Scenario) {
  const { move, erase } = writers(s.data)
  await move(userId(1), { saml: 8 })
  await move(userId(2), { sso: 99 })
  for (const n of [3, 6]) await move(userId(n), { saml: 107 })
  for (const n of [4, 5]) await erase(userId(n))
}

/** Lets something happen before the first transaction that links users, or before one with so many actions. */
function atLinks(work: () => Promise<unknown>, actionsMin = 3): Plan {
  let isDone = false
  return async ({ operation, body, send }) => {
    if (operation === 'TransactWriteItems' && (body.TransactItems as []).length >= actionsMin && !isDone) {
      isDone = true
      await withoutPlan(work)
    }
    return send()
  }
}

test('an undo that crashes before any call ends alike when it is run again', async () => {
  let whole: unknown
  for (let n = 1; n <= 10; n++) {
    const s = await removed(members(46))
    const crash: Plan = async call => {
      if (call.n >= n) throw new Crash()
      return call.send()
    }
    await expect(withPlan(crash, s.undo), `call ${n}`).rejects.toThrow(Crash)
    expect(await s.undo()).toEqual({ linked: 46 })
    whole ??= await s.items()
    expect(await s.items(), `call ${n}`).toEqual(whole)
  }
})

test.each(['before', 'meanwhile'])('undo leaves who was linked elsewhere or erased %s', async when => {
  const s = await removed()
  if (when === 'before') await change(s)
  const undoing =
    when === 'before'
      ? s.undo()
      : withPlan(
          atLinks(() => change(s)),
          s.undo,
        )
  expect(await undoing).toEqual({ linked: 96, 'linked elsewhere': 2, erased: 2 })
  // Nobody can be linked to the provider before it is there.
  const byBoth = (await s.items()).filter(
    item => item.saml_provider_id === 107 && item.sso_provider_id === 70,
  )
  expect(byBoth).toHaveLength(when === 'before' ? 96 : 94)
  expect(await s.find()).toEqual([])
  expect(await s.remove(107)).toEqual(s.listed.filter((_, n) => ![1, 2, 4, 5].includes(n)))
})

test.each<Links>([{ saml: 8 }, { sso: 99 }])(
  'undo names a user whom a writer gives %j at the last moment',
  async links => {
    const s = await removed(members(1))
    const move = () => writers(s.data).move(userId(0), links)
    expect(await withPlan(atLinks(move), s.undo)).toEqual({ changed: 1 })
    expect(await s.undo()).toEqual({ 'linked elsewhere': 1 })
    expect(await s.find()).toEqual([])
  },
)

test('undo makes no user again who is erased at the last moment', async () => {
  const s = await removed(members(1))
  const erase = () => writers(s.data).erase(userId(0))
  expect(await withPlan(atLinks(erase), s.undo)).toEqual({ changed: 1 })
  expect(await s.undo()).toEqual({ erased: 1 })
  expect((await s.items()).filter(({ SK }) => SK === 'USER')).toEqual([])
})

test('undo links a user whose links are NULL', async () => {
  const s = await removed(members(1))
  const [user] = (await s.items()).filter(({ SK }) => SK === 'USER')
  await s.put({ ...user, saml_provider_id: null, sso_provider_id: null })
  expect(await s.undo()).toEqual({ linked: 1 })
  expect(await s.find()).toEqual([])
})

test('undo fails when DynamoDB refuses a user for another reason than a condition', async () => {
  const s = await removed(members(1))
  const refused: Plan = async ({ body, send }) =>
    (body.TransactItems as unknown[] | undefined)?.length === 3
      ? replyOf({ __type: 'x#ValidationException', message: 'too large' }, 400)
      : send()
  await expect(withPlan(refused, s.undo)).rejects.toThrow('too large')
})

test('undo links each alone of users who are too large for one transaction', async () => {
  const s = await removed(members(45).map(user => ({ ...user, principal_name: 'x'.repeat(100_000) })))
  expect(await s.undo()).toEqual({ linked: 45 })
  expect(await s.find()).toEqual([])
})

test('undo brings a provider back once when two under different ids run at once', async () => {
  const s = await removed(members(3))
  const rival = atLinks(() => s.undo(108), 2)
  await expect(withPlan(rival, s.undo)).rejects.toThrow('Another program has just changed')
  await expect(s.undo()).rejects.toThrow('It was brought back as provider 108.')
  expect(await s.undo(108)).toEqual({ linked: 3 })
  expect(await s.find()).toEqual([])
})

test('undo writes nothing when another provider takes the id of the removed one', async () => {
  const s = await removed(members(3))
  const other = providerItem(sampleProvider(7, 70), 0)
  await expect(
    withPlan(
      atLinks(() => s.put(other), 2),
      s.undo,
    ),
  ).rejects.toThrow('Another program has just changed')
  expect(await s.items()).toContainEqual(other)
})

test('undo goes on after its provider was renamed', async () => {
  const s = await removed(members(3))
  await s.undo()
  await writers(s.data).move(userId(1), {})
  await s.put({ ...providerItem(sampleProvider(107, 70), 2), name: 'renamed' })
  expect(await s.undo()).toEqual({ linked: 3 })
  expect(await s.find()).toEqual([])
})

test('undo links nobody to a provider that is removed again', async () => {
  const s = await removed(members(3))
  const again = atLinks(() => s.remove(107))
  await expect(withPlan(again, s.undo)).rejects.toThrow('Provider 107 is not active any more')
  await expect(s.undo()).rejects.toThrow('Provider 107 is not active any more')
  expect(await s.find()).toEqual([])
})
