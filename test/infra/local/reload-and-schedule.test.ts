import { mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { reloadOnChange } from '../../../infra/local/reload.ts'
import { runOnSchedule } from '../../../infra/local/schedule.ts'
import { fakeClock } from '../../support/fake-clock.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

/** A folder with one source, of which the text is loaded. */
async function watched() {
  const folder = temporaryFolder()
  const path = (name: string) => join(folder, name)
  const write = (text: string) => writeFileSync(path('source.ts'), text)
  write('one')
  const seen = { loads: 0, retired: [] as string[], lines: [] as string[] }
  const fake = {
    async load() {
      seen.loads++
      const text = readFileSync(path('source.ts'), 'utf8')
      if (text === 'wrong') throw new Error('source.ts:1:1: ERROR')
      return { text, retire: () => void seen.retired.push(text) }
    },
  }
  const sources = await reloadOnChange(
    [folder],
    () => fake.load(),
    line => seen.lines.push(line),
  )
  onTestFinished(async () => void (await sources.stop()))
  return { ...sources, text: async () => (await sources.current()).text, path, write, seen, fake }
}

test('an edit is loaded before the next request goes on, and the old is retired; one that fails is reported once', async () => {
  const { text, write, path, seen } = await watched()
  write('two')
  expect(await text()).toBe('two')
  write('wrong')
  expect([await text(), await text()]).toEqual(['two', 'two'])
  writeFileSync(path('editors.tmp'), 'replaced')
  renameSync(path('editors.tmp'), path('source.ts'))
  expect(await text()).toBe('replaced')
  const reload = expect.stringMatching(/^reload {5}the functions were loaded again after \d+ ms$/)
  const failure = 'reload     failed, the last functions stay: source.ts:1:1: ERROR'
  expect(seen).toMatchObject({ lines: [reload, failure, reload], retired: ['one', 'two'] })
})

test('only a source that is changed, added or removed is loaded, in any folder', async () => {
  const { current, path, seen } = await watched()
  const loadsAfter = async (change: () => void) => {
    change()
    await current()
    return seen.loads
  }
  expect(await loadsAfter(() => {})).toBe(1)
  expect(await loadsAfter(() => writeFileSync(path('.source.ts.swp'), ''))).toBe(1)
  expect(await loadsAfter(() => mkdirSync(path('deep/deeper'), { recursive: true }))).toBe(1)
  expect(await loadsAfter(() => writeFileSync(path('deep/deeper/a.ts'), ''))).toBe(2)
  expect(await loadsAfter(() => writeFileSync(path('deep/deeper/a.ts'), 'a'))).toBe(3)
  expect(await loadsAfter(() => symlinkSync('itself.ts', path('itself.ts')))).toBe(4)
  expect(await loadsAfter(() => rmSync(path('deep'), { recursive: true }))).toBe(5)
  expect(await loadsAfter(() => {})).toBe(5)
})

test('an edit during a load is loaded, too', async () => {
  const { text, write, fake } = await watched()
  const { load } = fake
  fake.load = async () => {
    const loaded = await load()
    fake.load = load
    write('second')
    return loaded
  }
  write('first')
  await text()
  expect(await text()).toBe('second')
})

test('the stop waits for a running load, and nothing is loaded after it', async () => {
  const { current, stop, write, seen, fake } = await watched()
  const { load } = fake
  const released = Promise.withResolvers<void>()
  fake.load = () => released.promise.then(load)
  write('two')
  current()
  let stopped = ''
  const stopping = stop().then(({ text }) => {
    stopped = text
  })
  await setImmediate()
  expect(stopped).toBe('')
  released.resolve()
  await stopping
  expect(stopped).toBe('two')
  write('three')
  await current()
  expect(seen.loads).toBe(2)
})

const everyMs = 60_000
const timeoutMs = 50_000

/** The schedule with fake functions whose runs the test settles. */
function scheduled() {
  const clock = fakeClock()
  const runs: PromiseWithResolvers<never>[] = []
  const lines: string[] = []
  const invoke = (call: { timeoutMs: number }) => {
    expect(call.timeoutMs).toBe(timeoutMs)
    const run = Promise.withResolvers<never>()
    runs.push(run)
    return run.promise
  }
  const stop = runOnSchedule(invoke, { everyMs, timeoutMs }, clock, line => lines.push(line))
  const advance = async (ms: number) => {
    await setImmediate() // promises settle first
    clock.advance(ms)
    await setImmediate()
  }
  return { clock, advance, runs, lines, stop }
}

test('a scheduled function runs after each interval, one run at a time, and a failed one is reported', async () => {
  const { advance, runs, lines } = scheduled()
  await advance(everyMs - 1)
  expect(runs).toHaveLength(0)
  await advance(1)
  await advance(10 * everyMs)
  expect(runs).toHaveLength(1)
  runs[0]?.reject(new Error('the table is gone'))
  await advance(everyMs)
  expect(lines).toEqual([expect.stringContaining('finishRemovals: the table is gone')])
  expect(runs).toHaveLength(2)
})

test('nothing is scheduled after the stop, not even by a run that was active', async () => {
  const { clock, advance, runs, stop } = scheduled()
  await advance(everyMs)
  stop()
  runs[0]?.resolve({} as never)
  await setImmediate()
  expect(clock.scheduled()).toBe(0)
})
