import { describe, expect, test } from 'vitest'
import { providerKey } from '../../../lib/store/keys.ts'
import { type Links, sampleProvider, sampleUsers } from '../../support/samples.ts'
import { filled, ndjson, never } from '../scenario.ts'

const unknown = 'the state of the provider 7 in the table is unknown'
const changed = `${unknown}, and the link of the user to it would change`

/** A table with a provider whose state cannot be read, another one, and users of the first one. */
async function filledUnknown(users: Parameters<typeof filled>[1]) {
  const s = await filled([sampleProvider(7, 70), sampleProvider(8)], users)
  await s.put({ ...(await s.data.table.get(providerKey(7), never)), state: 'Active' })
  return s
}

describe.each([true, false])(
  'while the state of a provider is unknown, an import with update: %j',
  update => {
    test.each<[Links, Links, string]>([
      [{ saml: 7 }, { saml: 7 }, unknown],
      [{ saml: 7 }, {}, changed],
      [{ sso: 70 }, { sso: 71 }, changed],
      [{ saml: 7 }, { saml: 8 }, changed],
      [{}, { sso: 70 }, changed],
    ])('keeps the links of its users: from %j to %j', async (before, after, reason) => {
      const s = await filledUnknown(sampleUsers(25, before))
      const stored = await s.items()
      const records = sampleUsers(25, after).map(user => ({ ...user, principal_name: 'new' }))
      const { faults, stopped } = await s.import(ndjson(...records), { update })
      expect(stopped).toEqual([])
      expect(faults).toEqual(records.map((_, n) => `${n + 1}: ${reason}`))
      expect(await s.items()).toEqual(stored)
    })

    test('refuses its record, and adds none of its users', async () => {
      const s = await filledUnknown([])
      const stored = await s.items()
      const { faults } = await s.import(ndjson(sampleProvider(7, 70), ...sampleUsers(1, { saml: 7 })), {
        update,
      })
      expect(faults).toEqual([`1: ${unknown}: see verify`, `2: ${unknown}`])
      expect(await s.items()).toEqual(stored)
    })
  },
)
