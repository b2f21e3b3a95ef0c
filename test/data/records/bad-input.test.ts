import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sampleUser } from '../../support/samples.ts'
import { type DataScenario, itemsOf, ndjson, scenario } from '../scenario.ts'
import { line, plain, user, vectors } from './bad-input.vectors.ts'

describe('an import refuses with the place and the reason:', () => {
  // A dry run writes nothing, so one table is enough.
  let s: DataScenario
  const cleanUps: (() => Promise<void>)[] = []
  beforeAll(async () => {
    s = await scenario(cleanUp => void cleanUps.push(cleanUp))
  })
  afterAll(() => cleanUps[0]?.())

  test.each(vectors)('%s', async (_, text, fault) => {
    const { faults } = await s.import(text, { dryRun: true })
    expect(faults).toEqual([typeof fault === 'string' ? fault : expect.stringMatching(fault)])
  })
})

describe('an import accepts', () => {
  test.each<[string, string | Buffer]>([
    ['a byte order mark', Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), Buffer.from(ndjson(user))])],
    ['CRLF and blank lines', `\r\n${JSON.stringify(user)}\r\n\r\n   \n`],
    ['no line end at the end', JSON.stringify(user)],
    ['unknown fields, which it omits', line({ shoe_size: 43, roles: [{ ...user.roles[0], colour: 'red' }] })],
    ['bare values in the place of wrappers', ndjson(plain)],
    ['times of another zone and precision', line({ created_at: '2024-03-01T09:00:00.000000+01:00' })],
    [
      'absent links',
      ndjson(Object.fromEntries(Object.entries(plain).filter(([name]) => !/provider_id/.test(name)))),
    ],
  ])('%s', async (_, text) => {
    const s = await scenario()
    const { faults } = await s.import(text)
    expect(faults).toEqual([])
    expect(await s.items()).toEqual(itemsOf([], [user]))
  })

  test('ids in upper case, which it writes in lower case', async () => {
    const s = await scenario()
    const id = '5a3d1c9e-7b42-4f06-9d18-c0ffee000001'
    const records = [id, id.replace('1', '2')].map((id, n) => ({
      ...sampleUser(n),
      id,
      environment_targeted_access_control: [
        { user_id: id, environment_id: 'one' },
        { user_id: 'Another', environment_id: 'two' },
      ],
    }))
    const { faults } = await s.import(ndjson(...records).replaceAll(/"5a3d[^"]*"/g, id => id.toUpperCase()))
    expect(faults).toEqual([])
    expect(await s.items()).toEqual(itemsOf([], records))
  })
})
