import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type AttributeValue, BatchWriteItemCommand, ScanCommand } from '@aws-sdk/client-dynamodb'
import { importRecords } from '../../infra/data/import/import-records.ts'
import { dataOf } from '../../infra/data/open-data.ts'
import { findFaults } from '../../infra/data/verify/find-faults.ts'
import { chunk, forEachConcurrently } from '../../lib/concurrency.ts'
import { attributesOf } from '../../lib/store/attribute-values.ts'
import { type Item, membershipItem, providerItem, userItem } from '../../lib/store/items.ts'
import { systemClock } from '../../lib/time.ts'
import { sampleProvider, sampleUser } from '../support/samples.ts'
import { benchTable, never } from './bench-table.ts'
import { wallMs, type Figure, inTurns } from './measured.ts'

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
 * embedded engine makes one call of dynalite per INSERT, so that an import is compared with a DYNAMODB_ENDPOINT.
 */
export async function* measureData(users: number): AsyncGenerator<Figure> {
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
      const requests = batch.map(item => ({ PutRequest: { Item: attributesOf(item) } }))
      await client.send(new BatchWriteItemCommand({ RequestItems: { [tableName]: requests } }))
    })
  const scan = async (Segment: number) => {
    let ExclusiveStartKey: Record<string, AttributeValue> | undefined
    do {
      const place = { TableName: tableName, Segment, TotalSegments: segments, ExclusiveStartKey }
      const page = await client.send(new ScanCommand({ ...place, ConsistentRead: true }))
      ExclusiveStartKey = page.LastEvaluatedKey
    } while (ExclusiveStartKey !== undefined)
  }

  const imported = await inTurns(
    rounds,
    round => {
      const bare = 2 * round + 2
      const items = usersOf(bare).flatMap(user => [userItem(user), membershipItem(bare, user.id)])
      return wallMs(() => write([...items, providerItem(sampleProvider(bare), users)]))
    },
    round => {
      const options = { strict: false, dryRun: false }
      const source = fileOf(2 * round + 1)
      return wallMs(() => importRecords(data, [source], options, silent, never))
    },
  )
  const unit = 'ms'
  const hasTarget = process.env.DYNAMODB_ENDPOINT !== undefined
  yield {
    name: `import ${users} users / bare BatchWriteItems`,
    unit,
    ...imported,
    ...(hasTarget && { target: 1.25 }),
  }
  const verified = await inTurns(
    rounds,
    () => wallMs(() => Promise.all(Array.from({ length: segments }, (_, n) => scan(n)))),
    () => wallMs(() => findFaults(data, () => {}, never)),
  )
  yield { name: 'verify / bare parallel Scan', unit, ...verified, target: 1.25 }
  rmSync(folder, { recursive: true })
  await close()
}
