import { expect, test } from 'vitest'
import { type Item, membershipItem, providerItem, userItem } from '../../lib/store/items.ts'
import { sampleProvider, sampleUser, userId } from '../support/samples.ts'
import { world } from '../support/world.ts'

/** A text that must not occur in answers and logs. */
const marker = 'POISON'
const unknown = ['password_hash', 'valid', 'string', 'time', 'int32', 'toString', `${marker} name`]
const extras = Object.fromEntries(unknown.map(name => [name, { deep: [{ er: marker }], secret: marker }]))

/** Adds unknown attributes at every depth. */
function poisoned(value: unknown): unknown {
  if (Array.isArray(value)) return [...value.map(poisoned), { ...value[0], ...extras }]
  if (typeof value !== 'object' || value === null) return value
  const known = Object.entries(value).map(([name, inner]) => [name, poisoned(inner)])
  return { ...Object.fromEntries(known), ...extras }
}

test('attributes outside the document are neither sent nor logged', async () => {
  const w = await world()
  const stored = [
    providerItem(sampleProvider(7, 70), 1),
    providerItem(sampleProvider(8), 0),
    userItem(sampleUser(1, { saml: 7 })),
    membershipItem(7, userId(1)),
    { ...userItem(sampleUser(2)), is_disabled: true },
  ]
  await w.put(...stored.map(item => poisoned(item) as Item))
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
