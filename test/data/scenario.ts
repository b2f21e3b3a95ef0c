import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
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
import type { Item } from '../../lib/store/items.ts'
import { providerKey } from '../../lib/store/keys.ts'
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

  return {
    clock,
    client,
    tableName,
    data,
    put: (...items: Item[]) => putItems(client, tableName, items),
    items: () => allItems(client, tableName),
    /** What verify finds. */
    find: () => clock.moving(findFaults(data, never)),
    /** Lets the removal of a provider begin before a transaction. */
    removalOf:
      (providerId: number): Plan =>
      async ({ operation, send }) => {
        const begin = async () =>
          putItems(client, tableName, [
            { ...(await data.table.get(providerKey(providerId), never)), state: 'removing' },
          ])
        if (operation === 'TransactWriteItems') await withoutPlan(begin)
        return send()
      },
    /** Imports one file of this text. */
    async import(text: string | Buffer, options: ImportOptions = {}, signal = never) {
      const path = join(folder, `records-${randomUUID()}`)
      writeFileSync(path, text)
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
        /** Those of `told` that are no faults. */
        differences: told.filter(({ kind }) => kind === 'difference').map(lineOf),
      }
    },
  }
}

export type DataScenario = Awaited<ReturnType<typeof scenario>>

export const ndjson = (...records: unknown[]) => records.map(record => `${JSON.stringify(record)}\n`).join('')

/** A table with these providers and users. */
export async function filled(...[providers, users]: Parameters<typeof itemsOf>): Promise<DataScenario> {
  const s = await scenario()
  await s.put(...itemsOf(providers, users))
  return s
}
