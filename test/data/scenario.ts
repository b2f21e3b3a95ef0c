import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished } from 'vitest'
import { exportRecords } from '../../infra/data/export.ts'
import { type ImportOptions, importRecords } from '../../infra/data/import/import-records.ts'
import { sentencesOf } from '../../infra/data/import/sentences.ts'
import type { Told } from '../../infra/data/import/report.ts'
import { dataOf } from '../../infra/data/open-data.ts'
import { findSources } from '../../infra/data/records/source.ts'
import { findFaults } from '../../infra/data/verify/find-faults.ts'
import { createTable, dropTable } from '../../infra/resources/table.ts'
import { isLinked } from '../../lib/domain/provider.ts'
import type { SamlProvider, User } from '../../lib/domain/resources.ts'
import { membershipItem, providerItem, userItem } from '../../infra/data/table/items.ts'
import { type Item, userOf } from '../../lib/store/items.ts'
import { memberIdOf } from '../../lib/store/keys.ts'
import { allProviders } from '../../lib/store/providers.ts'
import { openOwnClient, openTestClient, type Plan, withoutPlan } from '../support/test-client.ts'
import { fakeClock } from '../support/fake-clock.ts'
import { allItems, inOrder, putItems } from '../support/put-items.ts'

export const never = new AbortController().signal

/** All items of a table with these resources. */
export const itemsOf = (providers: SamlProvider[], users: User[]): Item[] =>
  inOrder([
    ...users.map(userItem),
    ...providers.flatMap(provider => {
      const members = users.filter(user => isLinked(user, provider))
      return [
        ...members.map(({ id }) => membershipItem(provider.id, id)),
        providerItem(provider, members.length),
      ]
    }),
  ])

/** The items with their providers in this state. */
export const inState = (state: string, items: Item[]): Item[] =>
  items.map(item => (item.state === undefined ? item : { ...item, state }))

export const ndjson = (...records: unknown[]) => records.map(record => `${JSON.stringify(record)}\n`).join('')

/** Does something before each call of an operation. */
export const before =
  (named: string, work: () => Promise<unknown>): Plan =>
  async ({ operation, send }) => {
    if (operation === named) await withoutPlan(work)
    return send()
  }

/** Records, or the text of a file. */
type Records = readonly object[] | string | Buffer

/** A table in the engine that all tests share, which the commands that a person types can read, too. */
export const sharedScenario = () => scenario(onTestFinished, openTestClient)

/** A table, and the data commands on it. */
export async function scenario(
  atEnd: (cleanUp: () => Promise<void>) => void = onTestFinished,
  open = openOwnClient,
) {
  const clock = fakeClock()
  const client = open(clock)
  const tableName = `data-${randomUUID()}`
  await createTable(client, tableName)
  const folder = mkdtempSync(join(tmpdir(), 'data-test-'))
  atEnd(async () => {
    rmSync(folder, { recursive: true })
    await dropTable(client, tableName)
  })
  const data = dataOf(client, tableName, clock)

  const s = {
    clock,
    client,
    tableName,
    data,
    put: (...items: Item[]) => putItems(client, tableName, items),
    items: () => allItems(client, tableName),
    /** Expects that the table has these resources, and nothing else. */
    has: async (providers: SamlProvider[], users: User[]) =>
      expect(await s.items()).toEqual(itemsOf(providers, users)),
    /** What verify finds. */
    find: () => clock.moving(findFaults(data, never)),
    /** What export prints. */
    async export() {
      let text = ''
      const write = async (part: string) => {
        text += part
      }
      await clock.moving(exportRecords(data, write, never))
      return text
    },
    /** State, count, memberships and linked users of each provider. */
    async members() {
      const items = await s.items()
      const users = items.filter(({ SK }) => SK === 'USER').map(userOf)
      return (await allProviders(data.table, never)).map(({ resource, state, memberCount }) => ({
        ...{ id: resource.id, state, memberCount },
        memberships: items.filter(({ PK }) => PK === `SAML_PROVIDER#${resource.id}`).map(memberIdOf),
        linked: users.filter(user => isLinked(user, resource)).map(({ id }) => id),
      }))
    },
    /** Expects that memberships and counts of the active providers are those of the linked users. @returns their number */
    async expectMembers(at?: string) {
      const active = (await s.members()).filter(({ state }) => state === 'active')
      for (const { memberCount, memberships, linked } of active)
        expect({ memberCount, memberships }, at).toEqual({ memberCount: linked.length, memberships: linked })
      return active.length
    },
    /** Imports one file. */
    async import(records: Records, options: ImportOptions = {}, signal = never) {
      const path = join(folder, `records-${randomUUID()}`)
      writeFileSync(path, Array.isArray(records) ? ndjson(...records) : (records as string))
      const told: Told[] = []
      const tell = (one: Told) => void told.push(one)
      const lineOf = ({ place, reason }: Told) => `${place.replace(`${path}:`, '')}: ${reason}`
      const imported = await clock.moving(importRecords(data, findSources([path]), options, tell, signal))
      return {
        ...imported.report,
        /** What it says at its end. */
        sentences: sentencesOf(imported, options.dryRun ?? false),
        importing: imported.providers
          .filter(({ state }) => state === 'importing')
          .map(({ resource }) => resource.id),
        unknown: [...imported.unknown],
        /** Each with the number of the line, or the key of the item. */
        told: told.map(lineOf),
        /** Those of `told` that are faults. */
        faults: told.filter(({ kind }) => kind === 'fault').map(lineOf),
      }
    },
    /** Imports one file, and expects that nothing is told. */
    async accepts(records: Records, options?: ImportOptions) {
      const imported = await s.import(records, options)
      expect(imported.told).toEqual([])
      return imported
    },
    /** Expects that an update tells these faults and writes nothing, and that a dry run tells the same. */
    async refuses(records: Records, faults: unknown[], options: ImportOptions = {}) {
      const stored = await s.items()
      for (const dryRun of [true, false]) {
        expect((await s.import(records, { update: true, dryRun, ...options })).faults).toEqual(faults)
        expect(await s.items()).toEqual(stored)
      }
    },
  }
  return s
}

export type DataScenario = Awaited<ReturnType<typeof scenario>>

/** A table with these providers and users. */
export async function filled(...[providers, users]: Parameters<typeof itemsOf>): Promise<DataScenario> {
  const s = await scenario()
  await s.put(...itemsOf(providers, users))
  return s
}
