import { expect, test } from 'vitest'
import { sampleProvider } from '../support/samples.ts'
import { world } from '../support/world.ts'
import { expectRefusal } from './refusals.ts'
import { untouched } from './untouched.ts'

const service = untouched({})

const strange = [
  '0',
  '00',
  '-1',
  '-7',
  '01',
  '07',
  '+7',
  '7.0',
  '7e0',
  '0x7',
  '1e3',
  'abc',
  '7/8',
  '7%2F8',
  '7,8',
]
const long = ['2147483648', '9999999999', '21474836470', '7'.repeat(10_000), `${'0'.repeat(10_000)}7`]
const invisible = ['', '\u0000', '7\u0000', '7%00', ' 7', '7 ', '7\n', `7${' '.repeat(10_000)}`]
const others = ['٧', '７', '__proto__', '{saml_provider_id}', '../'.repeat(1_000), '99']

test.each([...strange, ...long, ...invisible, ...others])('no provider has the id %.30j: 404', id =>
  expectRefusal(service().remove(id), [404, 'provider_not_found']),
)

test('a request without an id is 404', () =>
  expectRefusal(service().remove(7, { pathParameters: {} }), [404, 'provider_not_found']))

test.each(['1', '2147483647'])('%s is a valid id', async id => {
  const w = await world()
  await w.putProvider(sampleProvider(Number(id)))
  expect((await w.remove(id)).text).toBe('{"data":{"affected_user":[]}}')
})
