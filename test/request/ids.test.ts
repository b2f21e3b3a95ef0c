import { describe, expect, test } from 'vitest'
import { sampleProvider, sampleUser } from '../support/samples.ts'
import { world } from '../support/world.ts'

describe('ids in the path', () => {
  const strange = [
    '0',
    '-1',
    '01',
    '07',
    '+7',
    '7.0',
    '7e0',
    '+1',
    '1.0',
    '1e3',
    'abc',
    '2147483648',
    '9'.repeat(10_000),
    '7/8',
    '7%2F8',
    '\u0000',
    '7\u0000',
    ' 7',
    '7 ',
    '٧',
    '0x7',
    '',
    '7,8',
    '__proto__',
    '{saml_provider_id}',
    '99',
  ]
  test.each(strange)('%j is 404, and changes nothing', async id => {
    const w = await world()
    await w.putProvider(sampleProvider(7), [sampleUser(1, { saml: 7 })])
    const before = await w.items()
    const answer = await w.remove(id)
    expect([answer.status, answer.json().code]).toEqual([404, 'provider_not_found'])
    expect(await w.items()).toEqual(before)
  })

  test('a request without an id is 404', async () => {
    const w = await world()
    expect((await w.remove(7, { pathParameters: {} })).status).toBe(404)
  })

  test.each(['1', '2147483647'])('%s is a valid id', async id => {
    const w = await world()
    await w.putProvider(sampleProvider(Number(id)))
    expect((await w.remove(id)).text).toBe('{"data":{"affected_user":[]}}')
  })
})

test('a request body is ignored, valid or not', async () => {
  const w = await world()
  await w.putProvider(sampleProvider(7))
  for (const body of ['{', '{"saml_provider_id":8}', '\u0000'.repeat(1000)]) {
    expect((await w.list({ body })).status).toBe(200)
    expect((await w.remove(7, { body })).status).toBe(200)
  }
})
