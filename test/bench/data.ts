import type { Report } from '../../infra/data/import/report.ts'
import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type AttributeValue, BatchWriteItemCommand, ScanCommand } from '@aws-sdk/client-dynamodb'
import { marshall } from '@aws-sdk/util-dynamodb'
import { importRecords } from '../../infra/data/import/import-records.ts'
import { statementOf } from '../../infra/data/insert.ts'
import { dataOf } from '../../infra/data/open-data.ts'
import { segments, segmentsAtOnce } from '../../infra/data/scan.ts'
import { findSources } from '../../infra/data/records/source.ts'
import { findFaults } from '../../infra/data/verify/find-faults.ts'
import { createTable, dropTable } from '../../infra/resources/table.ts'
import { chunk, forEachConcurrently } from '../../lib/concurrency.ts'
import { type Item, membershipItem, providerItem, userItem } from '../../lib/store/items.ts'
import { executeBatch } from '../../lib/store/statements.ts'
import { systemClock } from '../../lib/time.ts'
import { sampleProvider } from '../support/samples.ts'
import { benchTable, never } from './bench-table.ts'
import { largeUser } from './large-user.ts'
import { wallMs, type Figure, inTurns } from './measured.ts'

const writesInFlight = 8
const unit = 'ms'
const silent: Report = {
  tell({ place, outcome }) {
    if (outcome.is !== 'written') throw new Error(`${place}: ${JSON.stringify(outcome)}`)
  },
  phase: (_label, _total, work) => work(() => {}),
}

/**
 * An import beside bare loops that write the same items, each into a new table: one of BatchWriteItems, which overwrites
 * what is there, and one that inserts the users, as an import must. Then a check of the table beside a bare scan of as
 * many parts at once.
 */
export async function* measureData(users: number, rounds: number): AsyncGenerator<Figure> {
  const { client, close } = await benchTable()
  const folder = mkdtempSync(join(tmpdir(), 'bench-'))
  const file = join(folder, 'records.ndjson')
  const provider = sampleProvider(1)
  const people = Array.from({ length: users }, (_, n) => largeUser(n, { saml: provider.id }))
  writeFileSync(file, [provider, ...people].map(record => `${JSON.stringify(record)}\n`).join(''))
  const userItems = people.map(userItem)
  const otherItems = [
    ...people.map(({ id }) => membershipItem(provider.id, id)),
    providerItem(provider, users),
  ]

  let tableName = ''
  const inNewTable = async (work: () => Promise<unknown>) => {
    if (tableName !== '') await dropTable(client, tableName)
    tableName = `bench-${randomUUID()}`
    await createTable(client, tableName)
    return wallMs(work)
  }
  const write = (items: Item[]) =>
    forEachConcurrently(chunk(items, 25), writesInFlight, async batch => {
      const requests = batch.map(item => ({ PutRequest: { Item: marshall(item) } }))
      await client.send(new BatchWriteItemCommand({ RequestItems: { [tableName]: requests } }))
    })
  const insert = (items: Item[]) =>
    forEachConcurrently(chunk(items, 25), writesInFlight, async batch => {
      await executeBatch(
        client,
        batch.map(item => statementOf(tableName, item)),
        never,
      )
    })
  const scan = async (Segment: number) => {
    let ExclusiveStartKey: Record<string, AttributeValue> | undefined
    do {
      const place = { TableName: tableName, Segment, TotalSegments: segments, ExclusiveStartKey }
      const page = await client.send(new ScanCommand({ ...place, ConsistentRead: true }))
      ExclusiveStartKey = page.LastEvaluatedKey
    } while (ExclusiveStartKey !== undefined)
  }

  const inserted: number[] = []
  const imported = await inTurns(
    rounds,
    async () => {
      const insertAll = () => insert(userItems).then(() => write(otherItems))
      inserted.push(await inNewTable(insertAll))
      return inNewTable(() => write([...userItems, ...otherItems]))
    },
    () => {
      const sources = findSources([file])
      return inNewTable(() =>
        importRecords(dataOf(client, tableName, systemClock), sources, {}, silent, never),
      )
    },
  )
  yield { name: `import ${users} users / bare BatchWriteItems`, unit, ...imported, target: 1.25 }
  yield { name: `import ${users} users / bare INSERTs`, unit, ...imported, floor: inserted, target: 1.25 }
  const verified = await inTurns(
    rounds,
    () => wallMs(() => forEachConcurrently(Array(segments).keys(), segmentsAtOnce, scan)),
    () =>
      wallMs(() =>
        findFaults({ data: dataOf(client, tableName, systemClock), phase: silent.phase, signal: never }),
      ),
  )
  yield { name: `verify ${users} users / bare parallel Scan`, unit, ...verified, target: 1.25 }
  rmSync(folder, { recursive: true })
  await dropTable(client, tableName)
  await close()
}
