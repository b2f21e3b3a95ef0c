import fc from 'fast-check'
import { expect, test } from 'vitest'
import { membershipItem, providerItem, userItem } from '../../lib/store/items.ts'
import { sampleProvider, sampleUser } from '../support/samples.ts'
import { type World, world } from '../support/world.ts'
import { marker, poison, poisoned } from './poison.ts'

test('attributes outside the document are neither sent nor logged', async () => {
  const w = await world()
  const disabledUser = { ...userItem(sampleUser(2)), is_disabled: true }
  const property = fc.asyncProperty(poison, async drawn => {
    const stored = [
      providerItem(sampleProvider(7, 70), 1),
      providerItem(sampleProvider(8), 0),
      userItem(sampleUser(1, { saml: 7 })),
      membershipItem(7, sampleUser(1).id),
      disabledUser,
    ]
    await w.put(...poisoned(stored, drawn))
    expect(JSON.stringify(await w.items())).toContain(marker)
    const answers = await everyAnswer(w)
    expect(answers.map(({ status }) => status)).toEqual([200, 403, 403, 409, 404, 200, 200, 200])
    expect(JSON.stringify([answers, w.logged])).not.toContain(marker)
  })
  await fc.assert(property, { numRuns: 20 })
})

/** Answers of every kind that reads items, the removal and its replay included. */
async function everyAnswer(w: World) {
  const own = w.token({ sub: sampleUser(1).id })
  const disabled = w.token({ sub: sampleUser(2).id })
  const answers = [
    await w.list(),
    await w.list({ token: disabled }),
    await w.remove(7, { token: disabled }),
    await w.remove(7, { token: own }),
    await w.remove(99),
    await w.remove(7),
    await w.remove(7),
    await w.list(),
  ]
  return answers.map(({ status, headers, text }) => ({ status, headers, text: String(text) }))
}
