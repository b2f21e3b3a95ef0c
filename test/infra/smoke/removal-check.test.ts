import { expect, test } from 'vitest'
import type { Answer } from '../../../infra/smoke/ask.ts'
import { removalCheck } from '../../../infra/smoke/removal-check.ts'
import { providerItem, userOf } from '../../../lib/store/items.ts'
import { never, scenario } from '../../data/scenario.ts'
import { sampleProvider } from '../../support/samples.ts'

const providerId = 2_147_483_647
const target = { listUrl: 'https://api.example/list', token: 'any' }

/** The check with a service that answers its n-th DELETE so. */
async function checkWith(answerTo: (n: number) => Promise<Partial<Answer>>) {
  const s = await scenario()
  let calls = 0
  const ask = async () => (await answerTo(++calls)) as Answer
  const scratch = { data: s.data, providerId, deleteUrl: 'https://api.example/', signal: never }
  return { s, run: () => removalCheck({ ...target, ask }, scratch).run() }
}

test('the check fails when the same DELETE is answered differently the second time', async () => {
  const { s, run } = await checkWith(async n => {
    const users = (await s.items()).filter(({ SK }) => SK === 'USER').map(userOf)
    const affected_user = users.map(({ id }) => ({ id, saml_provider_id: { valid: false }, n }))
    return { status: 200, json: { data: { affected_user } } }
  })
  await expect(run()).rejects.toThrow('answered the repeated DELETE differently, with 200')
  expect(await s.items()).toEqual([])
})

test('the check deletes no provider that another writer has stored in the place of its own', async () => {
  const theirs = providerItem(sampleProvider(providerId), 0)
  const { s, run } = await checkWith(async () => {
    await s.put(theirs)
    return { status: 503, json: { code: 'table_busy' } }
  })
  await expect(run()).rejects.toThrow('table_busy')
  expect(await s.items()).toContainEqual(theirs)
})
