import fc from 'fast-check'
import { expect, test } from 'vitest'
import { exportRecords } from '../../../infra/data/export/export-records.ts'
import { samlProviderShape, userShape } from '../../../lib/domain/resources.ts'
import { plainOf } from '../../../infra/data/records/plain.ts'
import { arbitraryResources, type Resources } from '../arbitrary-records.ts'
import { type DataScenario, itemsOf, ndjson, never, scenario } from '../scenario.ts'

/** All formats of the same records. */
const formats: Record<string, (resources: Resources) => string> = {
  'NDJSON, document': ({ providers, users }) => ndjson(...users, ...providers),
  'NDJSON, plain': ({ providers, users }) =>
    ndjson(
      ...providers.map(one => plainOf(samlProviderShape, one)),
      ...users.map(one => plainOf(userShape, one)),
    ),
  'an array': ({ providers, users }) => JSON.stringify([...providers, ...users], null, 2),
  "the envelope of the API's answers": ({ providers, users }) =>
    JSON.stringify({ data: { saml_providers: providers, affected_user: users } }),
  'objects one after the other': ({ providers, users }) =>
    [...users, ...providers].map(one => JSON.stringify(one, null, '\t')).join('\n'),
}

async function exported(
  { data, clock }: DataScenario,
  dialect: 'document' | 'plain',
  format: 'ndjson' | 'json',
) {
  let text = ''
  const write = async (part: string) => {
    text += part
  }
  await clock.moving(exportRecords(data, { dialect, format }, write, never))
  return text
}

test.each(Object.entries(formats))('%s makes the same table', async (_, write) => {
  await fc.assert(
    fc.asyncProperty(arbitraryResources, async resources => {
      const s = await scenario()
      const { faults } = await s.import(write(resources))
      expect(faults).toEqual([])
      expect(await s.items()).toEqual(itemsOf(resources.providers, resources.users))
    }),
    { numRuns: process.env.TEST_FULL ? 100 : 8 },
  )
})

test.each([
  ['document', 'ndjson'],
  ['document', 'json'],
  ['plain', 'ndjson'],
  ['plain', 'json'],
] as const)('a table exported as %s %s and imported again is the same table', async (dialect, format) => {
  await fc.assert(
    fc.asyncProperty(arbitraryResources, async ({ providers, users }) => {
      const [one, other] = [await scenario(), await scenario()]
      await one.put(...itemsOf(providers, users))
      const { faults } = await other.import(await exported(one, dialect, format))
      expect(faults).toEqual([])
      expect(await other.items()).toEqual(await one.items())
    }),
    { numRuns: process.env.TEST_FULL ? 100 : 6 },
  )
})

test('a repeated import changes nothing, and finds all records stored', async () => {
  await fc.assert(
    fc.asyncProperty(arbitraryResources, async resources => {
      const s = await scenario()
      const text = ndjson(...resources.providers, ...resources.users)
      await s.import(text)
      const before = await s.items()
      const { counts, faults } = await s.import(text)
      expect(faults).toEqual([])
      expect(counts).toMatchObject({
        providers: { written: 0, there: resources.providers.length },
        users: { written: 0, there: resources.users.length },
      })
      expect(await s.items()).toEqual(before)
    }),
    { numRuns: process.env.TEST_FULL ? 100 : 8 },
  )
})
