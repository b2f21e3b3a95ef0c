import { Readable } from 'node:stream'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { exportRecords } from '../../../infra/data/export.ts'
import { findSources, readEntries } from '../../../infra/data/records/source.ts'
import type { SamlProvider, User } from '../../../lib/domain/resources.ts'
import { arbitraryResources, type Resources } from '../arbitrary-records.ts'
import { type DataScenario, itemsOf, ndjson, never, scenario } from '../scenario.ts'

async function exported({ data, clock }: DataScenario, dialect: 'document' | 'plain') {
  let text = ''
  const write = async (part: string) => {
    text += part
  }
  await clock.moving(exportRecords(data, dialect, write, never))
  return text
}

/** Providers by id, and users by id. */
const inOrder = ({ providers, users }: Resources) => [
  ...providers.toSorted((one, other) => one.id - other.id),
  ...users.toSorted((one, other) => (one.id < other.id ? -1 : 1)),
]

/** The resources of a text, as an import reads them. */
async function resourcesOf(text: string) {
  const sources = findSources(['-'], Readable.from([Buffer.from(text)]))
  const entries = (await Array.fromAsync(readEntries(sources, never))).flat()
  expect(entries.flatMap(({ faults }) => faults)).toEqual([])
  const of = (kind: 'provider' | 'user') =>
    entries.flatMap(({ record }) => (record?.kind === kind ? [record.resource] : []))
  return inOrder({ providers: of('provider') as SamlProvider[], users: of('user') as User[] })
}

test('an import makes the table of its records, without a fault; an export of any form, and a repeated import, find them', {
  timeout: 600_000,
}, async () => {
  await fc.assert(
    fc.asyncProperty(arbitraryResources, async ({ providers, users }) => {
      const s = await scenario()
      const text = ndjson(...providers, ...users)
      await s.import(text)
      const before = await s.items()
      expect(before).toEqual(itemsOf(providers, users))
      expect((await s.find()).faults).toEqual([])
      for (const dialect of ['document', 'plain'] as const)
        expect(await resourcesOf(await exported(s, dialect))).toEqual(inOrder({ providers, users }))
      const { counts, faults } = await s.import(text)
      expect(faults).toEqual([])
      expect(counts).toMatchObject({
        providers: { written: 0, there: providers.length },
        users: { written: 0, there: users.length },
      })
      expect(await s.items()).toEqual(before)
    }),
    { numRuns: process.env.TEST_FULL ? 100 : 8 },
  )
})
