import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { importRecords } from '../../infra/data/import/import-records.ts'
import type { Report } from '../../infra/data/import/report.ts'
import { dataOf } from '../../infra/data/open-data.ts'
import { findSources } from '../../infra/data/records/source.ts'
import { createTable, dropTable } from '../../infra/resources/table.ts'
import { membershipItem, providerItem, userItem } from '../../lib/store/items.ts'
import { systemClock } from '../../lib/time.ts'
import { sampleProvider } from '../support/samples.ts'
import { benchTable } from './bench-table.ts'
import { largeUser } from './large-user.ts'
import { type Figure, inTurns, wallMs } from './measured.ts'

const silent: Report = {
  tell({ place, outcome }) {
    if (outcome.is !== 'written') throw new Error(`${place}: ${JSON.stringify(outcome)}`)
  },
}

/** An import beside a bare loop of BatchWriteItems, which overwrites what is there, of the same items; each into a new table. */
export async function* measureImport(users: number, rounds: number): AsyncGenerator<Figure> {
  const { client, put, close } = await benchTable()
  const folder = mkdtempSync(join(tmpdir(), 'bench-'))
  const file = join(folder, 'records.ndjson')
  const provider = sampleProvider(1)
  const people = Array.from({ length: users }, (_, n) => largeUser(n, { saml: provider.id }))
  writeFileSync(file, [provider, ...people].map(record => `${JSON.stringify(record)}\n`).join(''))
  const memberships = people.map(({ id }) => membershipItem(provider.id, id))
  const items = [...people.map(userItem), ...memberships, providerItem(provider, users)]

  const inNewTable = (work: (tableName: string) => Promise<unknown>) => async () => {
    const tableName = `bench-${randomUUID()}`
    await createTable(client, tableName)
    const ms = await wallMs(() => work(tableName))
    await dropTable(client, tableName)
    return ms
  }
  const { signal } = new AbortController()
  const { ours, other } = await inTurns(rounds, {
    ours: inNewTable(tableName =>
      importRecords(dataOf(client, tableName, systemClock), findSources([file]), {}, silent, signal),
    ),
    other: inNewTable(tableName => put(items, tableName)),
  })
  const name = `import of ${users.toLocaleString('en')} users`
  yield { name, beside: 'BatchWriteItems', unit: 'ms', ours, other, goal: 1.25 }
  rmSync(folder, { recursive: true })
  await close()
}
