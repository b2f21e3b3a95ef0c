import { expect, test } from 'vitest'
import { sampleProvider } from '../support/samples.ts'
import { world } from '../support/world.ts'
import { expectRefusal } from './refusals.ts'
import { untouched } from './untouched.ts'

const service = untouched({})

// Which texts are ids is tested at parseProviderId.
const almost7 = ['07', '+7', '7.0', '0x7', '7\n', '7%00', '７', `${'0'.repeat(10_000)}7`]

test.each([...almost7, '', '0', '-1', '2147483648', '{saml_provider_id}', '../'.repeat(1_000), '99'])(
  'no provider has the id %.30j: 404',
  id => expectRefusal(service().remove(id), [404, 'provider_not_found']),
)

test('a request without an id is 404', () =>
  expectRefusal(service().remove(7, { pathParameters: {} }), [404, 'provider_not_found']))

test('2147483647 is a valid id', async () => {
  const w = await world()
  await w.putProvider(sampleProvider(2_147_483_647))
  expect((await w.remove(2_147_483_647)).text).toBe('{"data":{"affected_user":[]}}')
})
