import { appendFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { eraseUser } from '../../infra/data/erase.ts'
import { exportTable } from '../../infra/data/export.ts'
import { providerItem, userItem } from '../../infra/data/table/encoding.ts'
import { undoRemoval } from '../../infra/data/undo.ts'
import type { Item } from '../../lib/store/items.ts'
import { Crash } from '../removal/fates.ts'
import { temporaryFile } from '../support/machine.ts'
import { sampleProvider, sampleUser, userId } from '../support/samples.ts'
import { type Plan, withoutPlan, withPlan } from '../support/test-client.ts'
import { file, providers, users, writesBeforeProviders } from './import-fixtures.ts'
import { writers } from '../support/writers.ts'
import { ndjson, never, type Scenario, scenario } from './scenario.ts'

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

test('an import that crashes after any write is ended by the same files alone', async () => {
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
      await expect(s.find()).rejects.toThrow('unfinished')
    }
    expect(await s.items()).toEqual(stored)
    const again = s.import(paths.toReversed())
    if (isOver) await expect(again).rejects.toThrow('has items')
    else expect(await again).toEqual([])
    await s.has(providers, users)
  }
})

test('an import that crashed between two providers leaves what the endpoints have done since', async () => {
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

/** Another import, then what the endpoints and a writer do. */
async function overtake(s: Scenario, path: string) {
  const end = await s.clock.thaw(() => s.import(path)).catch(String)
  const listed = await s.clock.thaw(() => s.remove(1))
  await writers(s.data).move(userId(4), { saml: 2 })
  return { end, listed, items: await s.items() }
}

test('an import that another one overtakes before any call changes nothing more', async () => {
  const path = file()
  for (let index = 0; ; index++) {
    const s = await scenario()
    let counted = 0
    let since: Awaited<ReturnType<typeof overtake>> | undefined
    const plan: Plan = async ({ operation, send }) => {
      // The calls of a scan are alike.
      if (operation === 'Scan' || counted++ !== index) return send()
      since = await withoutPlan(() => overtake(s, path))
      return send()
    }
    const end = await withPlan(plan, () => s.import(path)).catch(String)
    if (since === undefined) return expect(counted).toBeGreaterThan(9)
    const ends = [String(end), String(since.end)].sort()
    expect(ends, `call ${index}`).toEqual(['', expect.stringMatching(/has items|began later/)])
    expect(await s.items(), `call ${index}`).toEqual(since.items)
    expect(await s.remove(1)).toEqual(since.listed)
  }
})

test('an import that another one overtakes before its first provider opens no table', async () => {
  const s = await scenario()
  const path = file()
  const another = () => withPlan(crashAfter(1), () => s.import(path)).catch(() => {})
  const run = withPlan(atWrite(writesBeforeProviders + 1, another), () => s.import(path))
  await expect(run).rejects.toThrow('began later')
  expect((await s.items()).some(isProvider)).toBe(false)
  expect(await s.import(path)).toEqual([])
  await s.has(providers, users)
})

test('erase is refused while an import puts its first provider', async () => {
  for (const n of [1, 2]) {
    const s = await scenario()
    const path = file()
    await withPlan(crashAfter(writesBeforeProviders), () => s.import(path)).catch(() => {})
    const goOn = () => withPlan(crashAfter(writesBeforeProviders + 1), () => s.import(path)).catch(() => {})
    const plan: Plan = async call => {
      if (call.n === n) await withoutPlan(goOn)
      return call.send()
    }
    const erasing = withPlan(plan, () => eraseUser(s.data, userId(1), never))
    await expect(erasing, `call ${n}`).rejects.toThrow('unfinished')
    expect((await s.items()).some(isProvider)).toBe(true)
  }
})

test.each(['the same', 'other'])(
  'an import of %s files that crashes where another one has ended stops nobody',
  async which => {
    const s = await scenario()
    const path = file()
    const latePath = which === 'other' ? temporaryFile(ndjson(...users.slice(1), ...providers)) : path
    const another = () => s.clock.thaw(() => s.import(path))
    const late = () => withPlan(atWrite(1, another), () => s.import(latePath))
    await expect(withPlan(crashAfter(1), late)).rejects.toThrow(Crash)
    expect(await s.find()).toEqual([expect.stringMatching('^SAML_PROVIDERS IMPORT: .*came too late')])
    const listed = await s.remove(1)
    const linked: string[] = []
    await undoRemoval(s.data, 1, 101, userId => linked.push(userId), never)
    expect(linked).toEqual(listed)
    expect(await eraseUser(s.data, userId(1), never)).toBe('erased')
    await exportTable(s.data, async () => {}, never)
    for (const path of [latePath, temporaryFile(ndjson(...providers))])
      for (const dryRun of [true, false])
        await expect(s.import(path, dryRun)).rejects.toThrow('has items of this service')
    await s.drop({ PK: 'SAML_PROVIDERS', SK: 'IMPORT' })
    expect(await s.find()).toEqual([])
  },
)

test('an import fails when one of other files begins at the last moment', async () => {
  const s = await scenario()
  const marker = { PK: 'SAML_PROVIDERS', SK: 'IMPORT', files: 'others' }
  const run = withPlan(
    atWrite(1, () => s.put(marker)),
    () => s.import(file()),
  )
  await expect(run).rejects.toThrow('of other files has begun')
  expect(await s.items()).toEqual([marker])
})

test('an import fails when a file changes', async () => {
  const s = await scenario()
  const path = file()
  const run = withPlan(
    atWrite(1, () => appendFileSync(path, ' ')),
    () => s.import(path),
  )
  await expect(run).rejects.toThrow('The files have changed')
  expect((await s.items()).some(isProvider)).toBe(false)
})
