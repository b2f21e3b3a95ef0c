import { expect, test } from 'vitest'
import { providerItem } from '../../infra/data/table/encoding.ts'
import { sampleProvider } from '../support/samples.ts'
import { world } from '../support/world.ts'

test('the list is an empty array when there are no providers', async () => {
  const w = await world()
  expect((await w.list()).text).toBe('{"data":{"saml_providers":[]}}')
})

test('the list has the active providers of all pages by id', async () => {
  const w = await world()
  // A page of a Query has 1 MB.
  const display_name = 'x'.repeat(300_000)
  const provider = (id: number) => ({ ...sampleProvider(id, id === 9 ? 90 : undefined), display_name })
  for (const id of [10, 9, 100, 2_147_483_647, 1]) await w.putProvider(provider(id))
  for (const [n, state] of ['removing', 'removed', undefined, 'odd'].entries())
    await w.put({ ...providerItem(sampleProvider(50 + n), 0), state })
  const answer = await w.list()
  expect(answer.status).toBe(200)
  expect(answer.text).toBe(
    JSON.stringify({ data: { saml_providers: [1, 9, 10, 100, 2_147_483_647].map(provider) } }),
  )
})

test('the list has no item whose sort key is not PROVIDER# with ten digits', async () => {
  const w = await world()
  const notIds = ' 7 000000007 00000000007 0000000000 -000000001 1e00000000 2147483648 0000000007\n'
  const others = ['META', 'provider#0000000007', ...notIds.split(' ').map(text => `PROVIDER#${text}`)]
  // The attribute id is another one.
  const item = providerItem(sampleProvider(7), 0)
  await w.put(...['PROVIDER#0000000001', 'PROVIDER#2147483647', ...others].map(SK => ({ ...item, SK })))
  const expected = [1, 2_147_483_647].map(id => ({ ...sampleProvider(7), id }))
  expect((await w.list()).json().data.saml_providers).toEqual(expected)
})
