import { expect, test } from 'vitest'
import { isLinked } from '../../../lib/domain/provider.ts'
import { userOf } from '../../../lib/store/items.ts'
import { memberIdOf, members } from '../../../lib/store/keys.ts'
import { allProviders } from '../../../lib/store/providers.ts'
import { Crash, crashAt, withPlan } from '../../removal/faults.ts'
import { sampleProvider, sampleUser } from '../../support/samples.ts'
import { type DataScenario, itemsOf, ndjson, never, scenario } from '../scenario.ts'

/** There before: provider 1 with a user, and one user who is linked to the SSO provider of provider 3 alone. */
const there = {
  provider: sampleProvider(1, 10),
  users: [sampleUser(1, { saml: 1 }), sampleUser(2, { sso: 30 })],
}
const providers = [sampleProvider(2), sampleProvider(3, 30)]
const users = [
  sampleUser(3),
  sampleUser(4, { sso: 10 }),
  sampleUser(5, { saml: 2, sso: 10 }),
  // More than one call takes.
  ...Array.from({ length: 30 }, (_, n) =>
    sampleUser(n + 6, n % 2 === 0 ? { saml: 2 } : { saml: 3, sso: 30 }),
  ),
]
const records = ndjson(...users, ...providers)
const whole = itemsOf([there.provider, ...providers], [...there.users, ...users])

async function begun() {
  const s = await scenario()
  await s.put(...itemsOf([there.provider], there.users))
  return s
}

/** Providers that can be seen, and on which a removal would lose or strike somebody. */
async function wrongProviders({ data, items }: DataScenario): Promise<number[]> {
  const stored = await items()
  const people = stored.filter(({ SK }) => SK === 'USER').map(userOf)
  return (await allProviders(data.table, never)).flatMap(({ resource, memberCount }) => {
    const edges = stored.filter(({ PK }) => PK === members(resource.id).PK).map(memberIdOf)
    const linked = people.filter(user => isLinked(user, resource)).map(({ id }) => id)
    const isRight = memberCount === edges.length && JSON.stringify(edges) === JSON.stringify(linked)
    return isRight ? [] : [resource.id]
  })
}

test('an import brings users of old and new providers, and makes members of those who were linked before', async () => {
  const s = await begun()
  expect((await s.import(records)).faults).toEqual([])
  expect(await s.items()).toEqual(whole)
})

test.each(['before', 'after'] as const)(
  'an import that crashes %s any call leaves no wrong provider, and the next one completes it',
  async moment => {
    let crashes = 0
    for (let call = 1; ; call++) {
      const s = await begun()
      const { plan, happened } = crashAt(call, moment)
      await withPlan(plan, () => s.import(records)).catch(error => {
        if (!(error instanceof Crash)) throw error
      })
      if (!happened()) break
      crashes += 1
      expect(await wrongProviders(s), `after call ${call}`).toEqual([])
      expect((await s.import(records)).faults, `after call ${call}`).toEqual([])
      expect(await s.items(), `after call ${call}`).toEqual(whole)
    }
    expect(crashes).toBeGreaterThan(15)
  },
)
