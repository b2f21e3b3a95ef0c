import { expect, test } from 'vitest'
import { membershipItem, providerItem, userItem } from '../../infra/data/table/items.ts'
import type { Item } from '../../lib/store/items.ts'
import { sampleProvider, sampleUser, userId } from '../support/samples.ts'
import { type Plan, withPlan } from '../support/test-client.ts'
import { type World, world } from '../support/world.ts'

/** Stands in the table for the name `__proto__`, which JavaScript gives to no plain property. */
const placeholder = 'named-proto'

/** Replaces the placeholder in the replies of DynamoDB by `__proto__`. */
const withProto: Plan = async ({ send }) => {
  const { statusCode, body } = await send()
  return { statusCode, headers: {}, body: Buffer.from(String(body).replaceAll(placeholder, '__proto__')) }
}

const stored: Item[] = [
  providerItem(sampleProvider(7, 70), 1),
  providerItem(sampleProvider(8), 0),
  userItem(sampleUser(1, { saml: 7 })),
  membershipItem(7, userId(1)),
  { ...userItem(sampleUser(2)), is_disabled: true },
]

/** Sends all kinds of requests to a service with these items. */
async function answersWith(items: Item[]) {
  const w = await world()
  await w.put(...items)
  const [own, disabled] = [1, 2].map(n => ({ token: w.token({ sub: userId(n) }) }))
  const requests = [
    () => w.list(),
    () => w.list(disabled),
    () => w.remove(7, disabled),
    () => w.remove(7, own),
    () => w.remove(99),
    () => w.remove(7),
    () => w.remove(7),
    () => w.list(),
  ]
  const answers: Awaited<ReturnType<World['list']>>[] = []
  for (const send of requests) answers.push(await withPlan(withProto, send))
  expect(answers.map(({ status }) => status)).toEqual([200, 403, 403, 409, 404, 200, 200, 200])
  return { sent: answers.map(({ headers, text }) => [headers, text]), logged: w.logged }
}

/** A text that must not occur in answers and logs. */
const marker = 'POISON'
const unknown = ['password_hash', 'valid', 'string', 'time', 'int32', 'toString', `${marker} name`]
const extras = Object.fromEntries(unknown.map(name => [name, { deep: [{ er: marker }], secret: marker }]))

/** Adds these attributes at every depth. */
function withAttributes(value: unknown, more: object): unknown {
  if (Array.isArray(value)) return [...value.map(one => withAttributes(one, more)), more]
  if (typeof value !== 'object' || value === null) return value
  const known = Object.entries(value).map(([name, inner]) => [name, withAttributes(inner, more)])
  return { ...Object.fromEntries(known), ...more }
}

test.each([
  {
    ...{ state: 'removed', is_disabled: true, expires_at: 1, id: 9 },
    // The items do not have these: a member of a prototype would be shown in their place.
    ...{ deleted_at: '2024-03-03T00:00:00.000Z', last_name: 'Other', sso_provider_id: 9 },
  },
  { M: { state: 'active' }, S: 'active', N: '1' },
  ['active'],
  'active',
  null,
])('unknown attributes are shown nowhere, not even one named __proto__ of %j', async proto => {
  const more = { ...extras, [placeholder]: proto }
  const { sent, logged } = await answersWith(stored.map(item => withAttributes(item, more) as Item))
  expect(sent).toEqual((await answersWith(stored)).sent)
  expect(JSON.stringify(logged)).not.toContain(marker)
})
