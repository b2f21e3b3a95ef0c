import { expect, test } from 'vitest'
import { type Item, membershipItem, providerItem, userItem } from '../../lib/store/items.ts'
import { sampleProvider, sampleUser, userId } from '../support/samples.ts'
import { world } from '../support/world.ts'

/** A text that must not occur in answers and logs. */
const marker = 'POISON'
const unknown = ['password_hash', 'valid', 'string', 'time', 'int32', 'toString', `${marker} name`]
const extras = Object.fromEntries(unknown.map(name => [name, { deep: [{ er: marker }], secret: marker }]))
/** Attributes that decide which items are read; they are not changed. */
const deciding = /^(PK|SK|id|user_id|state|member_count|s\w\w\w?_provider_id|expires_at|is_disabled)$/

/** Adds unknown attributes at every depth, and gives known texts and flags this value, if it is of another type. */
function poisoned(value: unknown, instead: unknown): unknown {
  if (Array.isArray(value)) return [...value.map(one => poisoned(one, instead)), { ...value[0], ...extras }]
  if (typeof value !== 'object' || value === null)
    return typeof value === 'number' ? value : (instead ?? value)
  const known = Object.entries(value).map(([name, inner]) => [
    name,
    deciding.test(name) ? inner : poisoned(inner, instead),
  ])
  return { ...Object.fromEntries(known), ...extras }
}

test.each([
  ['beside the known ones', undefined],
  ['and known ones that are lists', [marker]],
  ['and known ones that are maps', { secret: marker }],
])('attributes outside the document are neither sent nor logged: %s', async (_, instead) => {
  const w = await world()
  const stored = [
    providerItem(sampleProvider(7, 70), 1),
    providerItem(sampleProvider(8), 0),
    userItem(sampleUser(1, { saml: 7 })),
    membershipItem(7, userId(1)),
    { ...userItem(sampleUser(2)), is_disabled: true },
  ]
  await w.put(...stored.map(item => poisoned(item, instead) as Item))
  expect(JSON.stringify(await w.items())).toContain(marker)
  const [own, disabled] = [1, 2].map(n => ({ token: w.token({ sub: userId(n) }) }))
  const answers = [
    await w.list(),
    await w.list(disabled),
    await w.remove(7, disabled),
    await w.remove(7, own),
    await w.remove(99),
    await w.remove(7),
    await w.remove(7),
    await w.list(),
  ]
  expect(answers.map(({ status }) => status)).toEqual([200, 403, 403, 409, 404, 200, 200, 200])
  const sent = answers.map(({ headers, text }) => [headers, String(text)])
  expect(JSON.stringify([sent, w.logged])).not.toContain(marker)
})
