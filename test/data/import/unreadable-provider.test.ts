import { describe, expect, test } from 'vitest'
import { sampleProvider, sampleUser, sampleUsers } from '../../support/samples.ts'
import { itemsOf, ndjson, scenario } from '../scenario.ts'

const update = true
const seven = ndjson(sampleProvider(7))

const unreadable: [name: string, line: string | Buffer][] = [
  ['with an id that is a text', ndjson({ ...sampleProvider(7), id: '7' })],
  ['with an id that is none', ndjson({ ...sampleProvider(7), id: 0 })],
  ['that is no JSON', seven.replace('}\n', ',}\n')],
  ['that is too long', seven.replace('"name"', `"more":"${'x'.repeat(2_100_000)}","name"`)],
  ['that is not UTF-8', Buffer.from(seven.replace('provider-7', 'provider-é'), 'latin1')],
]
const textOf = (line: string | Buffer, ...users: object[]) =>
  Buffer.concat([Buffer.from(line), Buffer.from(ndjson(...users))])
const maybe = /: .*:1 cannot be read, and may be the record of the provider \d/

describe.each(unreadable)('beside the record of a provider %s', (_, line) => {
  test('an import adds no user without the link, and all of them after the line is mended', async () => {
    const s = await scenario()
    const users = sampleUsers(3, { saml: 7 })
    const { faults } = await s.import(textOf(line, ...users, sampleUser(9)))
    expect(faults).toHaveLength(4)
    expect(faults.filter(fault => maybe.test(fault))).toHaveLength(3)
    expect(await s.items()).toEqual(itemsOf([], [sampleUser(9)]))
    expect((await s.import(ndjson(sampleProvider(7), ...users))).faults).toEqual([])
    expect(await s.items()).toEqual(itemsOf([sampleProvider(7)], [...users, sampleUser(9)]))
  })

  test('an update takes no link away', async () => {
    const s = await scenario()
    const before = sampleUsers(101, { saml: 7, sso: 11 })
    await s.put(...itemsOf([sampleProvider(7, 11), sampleProvider(8)], before))
    const moving = [{ saml: 7, sso: 111 }, { sso: 11 }, { saml: 8 }, {}].map((links, n) =>
      sampleUser(n, links),
    )
    const { faults, stopped } = await s.import(textOf(line, ...moving, sampleUser(200, { saml: 8 })), {
      update,
    })
    expect(stopped).toEqual([])
    expect(faults.filter(fault => maybe.test(fault))).toHaveLength(4)
    const users = [...before, sampleUser(200, { saml: 8 })]
    expect(await s.items()).toEqual(itemsOf([sampleProvider(7, 11), sampleProvider(8)], users))
  })
})

test('beside a user who cannot be read, an import leaves out links to unknown providers', async () => {
  const s = await scenario()
  const { faults } = await s.import(
    ndjson({ ...sampleUser(1), is_disabled: 'no' }, sampleUser(2, { saml: 7 })),
  )
  expect(faults).toHaveLength(1)
  expect(await s.items()).toEqual(itemsOf([], [sampleUser(2)]))
})
