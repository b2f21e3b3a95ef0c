import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { BatchWriteCommand, ScanCommand } from '@aws-sdk/lib-dynamodb'
import { importRecords } from '../../infra/data/import/import-records.ts'
import { dataOf } from '../../infra/data/open-data.ts'
import { findFaults } from '../../infra/data/verify/find-faults.ts'
import { chunk, forEachConcurrently } from '../../lib/concurrency.ts'
import { type Item, membershipItem, providerItem, userItem } from '../../lib/store/items.ts'
import { systemClock } from '../../lib/time.ts'
import { sampleProvider, sampleUser } from '../support/samples.ts'
import { benchTable, never } from './bench-table.ts'
import { type Measured, timed } from './measured.ts'

const users = 10_000
const rounds = 3
const writesInFlight = 8
const segments = 4
const silent = {
  refuse: (place: string, fault: string) => {
    throw new Error(`${place}: ${fault}`)
  },
  seenOf: () => ({ dialects: new Set<never>(), unknown: new Set<string>() }),
  phase: () => ({ advance: () => {}, end: () => {} }),
}

/**
 * An import beside a bare loop that writes the same items; a check of the table beside a bare parallel scan of it. The
 * embedded engine makes a call of dynalite of each INSERT, so that an import is judged with a DYNAMODB_ENDPOINT.
 */
export async function measureData(): Promise<Measured[]> {
  const { client, tableName, close } = await benchTable()
  const folder = mkdtempSync(join(tmpdir(), 'bench-'))
  const data = dataOf(client, tableName, systemClock)

  const usersOf = (providerId: number) =>
    Array.from({ length: users }, (_, n) => sampleUser(providerId * users + n, { saml: providerId }))
  const fileOf = (providerId: number) => {
    const path = join(folder, `${providerId}.ndjson`)
    const records = [sampleProvider(providerId), ...usersOf(providerId)]
    writeFileSync(path, records.map(record => `${JSON.stringify(record)}\n`).join(''))
    return { name: path, path, bytes: 0 }
  }
  const write = (items: Item[]) =>
    forEachConcurrently(chunk(items, 25), writesInFlight, async batch => {
      const requests = batch.map(Item => ({ PutRequest: { Item } }))
      await client.send(new BatchWriteCommand({ RequestItems: { [tableName]: requests } }))
    })
  const scan = async (Segment: number) => {
    let ExclusiveStartKey: Item | undefined
    do {
      const place = { TableName: tableName, Segment, TotalSegments: segments, ExclusiveStartKey }
      const page = await client.send(new ScanCommand({ ...place, ConsistentRead: true }))
      ExclusiveStartKey = page.LastEvaluatedKey
    } while (ExclusiveStartKey !== undefined)
  }

  const imported: Measured = {
    name: `import ${users} users / bare BatchWriteItem loop`,
    unit: 'ms',
    floor: [],
    ours: [],
    target: 'at most 1.25 with a DYNAMODB_ENDPOINT',
  }
  const verified: Measured = {
    name: 'verify / bare parallel Scan',
    unit: 'ms',
    floor: [],
    ours: [],
    target: 'at most 1.25',
  }
  for (let round = 0; round < rounds; round++) {
    const [ours, bare] = [round * 2 + 1, round * 2 + 2]
    const source = fileOf(ours)
    const items = usersOf(bare).flatMap(user => [userItem(user), membershipItem(bare, user.id)])
    const options = { strict: false, dryRun: false }
    imported.ours.push(await timed(() => importRecords(data, [source], options, silent, never)))
    imported.floor.push(await timed(() => write([...items, providerItem(sampleProvider(bare), users)])))
  }
  for (let round = 0; round < rounds; round++) {
    verified.floor.push(await timed(() => Promise.all(Array.from({ length: segments }, (_, n) => scan(n)))))
    verified.ours.push(await timed(() => findFaults(data, () => {}, never)))
  }
  rmSync(folder, { recursive: true })
  await close()
  return [imported, verified]
}
