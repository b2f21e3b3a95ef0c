import { randomUUID } from 'node:crypto'
import { DeleteCommand } from '@aws-sdk/lib-dynamodb'
import { expect, onTestFinished } from 'vitest'
import { exportTable } from '../../infra/data/export.ts'
import { sentencesOf } from '../../infra/data/import/faults.ts'
import { importFiles } from '../../infra/data/import/import-files.ts'
import { dataOf } from '../../infra/data/open-data.ts'
import { membershipItem, providerItem, userItem } from '../../infra/data/table/encoding.ts'
import { verifyTable } from '../../infra/data/verify.ts'
import { createTable, dropTable } from '../../infra/resources/table.ts'
import { isLinked } from '../../lib/domain/provider.ts'
import type { SamlProvider, User } from '../../lib/domain/resources.ts'
import { removeProvider } from '../../lib/removal/remove-provider.ts'
import type { Item } from '../../lib/store/items.ts'
import { removalStore } from '../../lib/store/removals.ts'
import { fakeClock } from '../support/fake-clock.ts'
import { temporaryFile } from '../support/machine.ts'
import { allItems, inOrder, putItems } from '../support/put-items.ts'
import { openOwnClient, openTestClient } from '../support/test-client.ts'

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

export const ndjson = (...records: unknown[]) => records.map(record => `${JSON.stringify(record)}\n`).join('')

export type Scenario = Awaited<ReturnType<typeof scenario>>

/** A table in the engine that all tests share, which the commands that a person types can read, too. */
export const sharedScenario = () => scenario(openTestClient)

/** A table, and the data commands on it. */
export async function scenario(open = openOwnClient) {
  const clock = fakeClock()
  const client = open(clock)
  const tableName = `data-${randomUUID()}`
  await createTable(client, tableName)
  onTestFinished(() => dropTable(client, tableName))
  const data = dataOf(client, tableName, clock)
  const s = {
    clock,
    client,
    tableName,
    data,
    put: (...items: Item[]) => putItems(client, tableName, items),
    drop: ({ PK, SK }: Item) => client.send(new DeleteCommand({ TableName: tableName, Key: { PK, SK } })),
    items: () => allItems(client, tableName),
    /** Expects that the table has these resources, and nothing else. */
    has: async (providers: SamlProvider[], users: User[]) =>
      expect(await s.items()).toEqual(itemsOf(providers, users)),
    /** Imports files. @returns their faults, without the path */
    async import(files: string | string[], dryRun = false) {
      const { faults } = await clock.moving(importFiles(data, [files].flat(), never, { dryRun }))
      return sentencesOf(faults).map(line => line.replaceAll(/\/\S*\/file:/g, ''))
    },
    /** Removes a provider, as the DELETE does. @returns the ids of the users whom it lists */
    async remove(id: number) {
      const ports = { store: removalStore(data.table), clock, newId: () => 'r', retentionMs: 86_400_000 }
      const found = (await ports.store.find(id, never)) ?? expect.unreachable()
      const context = { requestedBy: 'test', log: () => {}, signal: never }
      const removing = removeProvider(ports, found, context).then(({ pages }) => Array.fromAsync(pages))
      return (await clock.moving(removing)).flat().map(user => user.id)
    },
    /** What verify finds. */
    find: async () => [...(await clock.moving(verifyTable(data, never))).faults].sort(),
    /** A file with what export prints. */
    async export() {
      let text = ''
      const write = async (part: string) => {
        text += part
      }
      await clock.moving(exportTable(data, write, never))
      return temporaryFile(text)
    },
  }
  return s
}
