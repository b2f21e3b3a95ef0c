import { appendFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { eraseUser } from '../../infra/data/erase.ts'
import { providerItem, userItem } from '../../infra/data/table/items.ts'
import type { Item } from '../../lib/store/items.ts'
import { Crash } from '../removal/fates.ts'
import { temporaryFile } from '../support/machine.ts'
import { sampleProvider, sampleUser, userId } from '../support/samples.ts'
import { type Plan, withoutPlan, withPlan } from '../support/test-client.ts'
import { file, providers, users, writesBeforeProviders } from './import-fixtures.ts'
import { ndjson, never, scenario } from './scenario.ts'

const isProvider = (item: object) => 'state' in item
const isWrite = (operation: string) => /Write|Update/.test(operation)

/** Lets an import crash after its n-th write. */
const crashAfter =
  (n: number): Plan =>
  async ({ operation, send }) => {
    const reply = await send()
    if (isWrite(operation) && --n === 0) throw new Crash()
    return reply
  }

/** Lets something happen before the n-th write. */
const atWrite =
  (n: number, work: () => unknown): Plan =>
  async ({ operation, send }) => {
    if (isWrite(operation) && --n === 0) await withoutPlan(async () => work())
    return send()
  }

describe('an import', () => {
  test('that crashes after any write ends with the same files, and until then other files and an erasure are refused', async () => {
    const paths = [temporaryFile(ndjson(...users)), temporaryFile(ndjson(...providers))]
    const otherPath = temporaryFile(ndjson(...users.slice(1), ...providers))
    const writes = writesBeforeProviders + providers.length + 1
    for (let n = 1; n <= writes; n++) {
      const s = await scenario()
      await expect(withPlan(crashAfter(n), () => s.import(paths))).rejects.toThrow(Crash)
      const stored = await s.items()
      expect(stored.some(isProvider), `crash ${n}`).toBe(n > writesBeforeProviders)
      const isOver = n === writes
      for (const dryRun of [true, false]) {
        const sentence = isOver ? 'has items' : 'of other files has begun'
        await expect(s.import(otherPath, dryRun)).rejects.toThrow(sentence)
      }
      if (!isOver) {
        await expect(eraseUser(s.data, userId(1), never)).rejects.toThrow('unfinished')
        expect(await s.find()).toEqual(['an import is unfinished: run it again with the same files'])
      }
      expect(await s.items()).toEqual(stored)
      const again = s.import(paths.toReversed())
      if (isOver) await expect(again).rejects.toThrow('has items')
      else expect(await again).toEqual([])
      await s.has(providers, users)
    }
  })

  test('that crashed between two providers leaves what the endpoints have done since', async () => {
    const s = await scenario()
    const path = file()
    await expect(withPlan(crashAfter(writesBeforeProviders + 1), () => s.import(path))).rejects.toThrow(Crash)
    const changed: Item[] = [
      userItem(sampleUser(0)),
      { ...providerItem(sampleProvider(1, 10), 9), state: 'removing' },
    ]
    await s.put(...changed)
    await s.import(path)
    expect(await s.items()).toEqual(expect.arrayContaining(changed))
    expect((await s.items()).filter(isProvider)).toHaveLength(2)
  })
})

describe('an import fails', () => {
  test.each<[string, number, number, string]>([
    ['another provider while users are written', 9, 3, 'created providers'],
    ['a provider of the files at the last moment', 1, writesBeforeProviders + 1, 'created the provider 1'],
  ])('when a rival creates %s', async (_, id, n, sentence) => {
    const s = await scenario()
    const rival = { ...providerItem(sampleProvider(id), 0), name: 'rival' }
    const run = withPlan(
      atWrite(n, () => s.put(rival)),
      () => s.import(file()),
    )
    await expect(run).rejects.toThrow(sentence)
    expect((await s.items()).filter(isProvider)).toEqual([rival])
  })

  test.each([
    ['users are written', 3],
    ['providers are put', writesBeforeProviders + 1],
  ])('when another one of the same files has ended while %s', async (_, n) => {
    const s = await scenario()
    const path = file()
    const run = withPlan(
      atWrite(n, () => s.import(path)),
      () => s.import(path),
    )
    await expect(run).rejects.toThrow(/ meanwhile: fill a new table/)
  })

  test('when one of other files begins at the last moment', async () => {
    const s = await scenario()
    const marker = { PK: 'SAML_PROVIDERS', SK: 'IMPORT', files: 'others' }
    const run = withPlan(
      atWrite(1, () => s.put(marker)),
      () => s.import(file()),
    )
    await expect(run).rejects.toThrow('of other files has begun')
    expect(await s.items()).toEqual([marker])
  })

  test('when a file changes', async () => {
    const s = await scenario()
    const path = file()
    const run = withPlan(
      atWrite(2, () => appendFileSync(path, ' ')),
      () => s.import(path),
    )
    await expect(run).rejects.toThrow('The files have changed')
    expect((await s.items()).some(isProvider)).toBe(false)
  })
})
