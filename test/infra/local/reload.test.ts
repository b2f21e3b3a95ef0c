import { mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { reloadOnChange, stateOf } from '../../../infra/local/reload.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

/** A folder with one source, whose "functions" are its text. */
function watched() {
  const folder = temporaryFolder()
  const path = (name: string) => join(folder, name)
  const write = (text: string) => writeFileSync(path('source.ts'), text)
  write('one')
  const seen = { loaded: 'one', builds: 0, lines: [] as string[] }
  let built = ''
  const fake = {
    async build() {
      seen.builds++
      built = readFileSync(path('source.ts'), 'utf8')
      if (built === 'wrong') throw new Error('source.ts:1:1: ERROR')
    },
    async load() {
      seen.loaded = built
    },
  }
  const sources = reloadOnChange({
    folders: [folder],
    builtFrom: stateOf([folder]),
    build: () => fake.build(),
    load: () => fake.load(),
    log: line => seen.lines.push(line),
  })
  onTestFinished(sources.stop)
  return { ...sources, path, write, seen, fake }
}

test('an edit is loaded before the next request goes on, and one line reports it', async () => {
  const { current, write, path, seen } = watched()
  for (const text of ['two', 'three']) {
    write(text)
    await current()
    expect(seen.loaded).toBe(text)
  }
  writeFileSync(path('editors.tmp'), 'replaced')
  renameSync(path('editors.tmp'), path('source.ts'))
  await current()
  expect(seen.loaded).toBe('replaced')
  for (const line of seen.lines)
    expect(line).toMatch(/^reload {5}the functions were loaded again after \d+ ms$/)
  expect(seen.lines).toHaveLength(3)
})

test('only a source that is changed, added or removed causes a build, in any folder', async () => {
  const { current, path, seen } = watched()
  const buildsAfter = async (change: () => void) => {
    change()
    await current()
    return seen.builds
  }
  expect(await buildsAfter(() => {})).toBe(0)
  expect(await buildsAfter(() => writeFileSync(path('.source.ts.swp'), ''))).toBe(0)
  expect(await buildsAfter(() => mkdirSync(path('deep/deeper'), { recursive: true }))).toBe(0)
  expect(await buildsAfter(() => writeFileSync(path('deep/deeper/a.ts'), ''))).toBe(1)
  expect(await buildsAfter(() => writeFileSync(path('deep/deeper/a.ts'), 'a'))).toBe(2)
  expect(await buildsAfter(() => symlinkSync('itself.ts', path('itself.ts')))).toBe(3)
  expect(await buildsAfter(() => rmSync(path('deep'), { recursive: true }))).toBe(4)
  expect(await buildsAfter(() => {})).toBe(4)
})

test('an edit that fails is reported once, the last functions stay, and a correction is loaded', async () => {
  const { current, write, seen, fake } = watched()
  write('wrong')
  await current()
  await current()
  expect(seen.lines).toEqual(['reload     failed, the last functions stay: source.ts:1:1: ERROR'])
  const { load } = fake
  fake.load = () => Promise.reject(new Error('thrown while it is loaded'))
  write('builds, but throws')
  await current()
  expect(seen.lines[1]).toBe('reload     failed, the last functions stay: thrown while it is loaded')
  expect(seen.loaded).toBe('one')
  fake.load = load
  write('right')
  await current()
  expect(seen.loaded).toBe('right')
})

test('an edit during a build is loaded, too', async () => {
  const { current, write, seen, fake } = watched()
  const { build } = fake
  fake.build = async () => {
    await build()
    fake.build = build
    write('second')
    await setImmediate()
  }
  write('first')
  await current()
  await current()
  expect(seen.loaded).toBe('second')
})

test('the stop waits for a running build, and nothing is built after it', async () => {
  const { current, stop, write, seen, fake } = watched()
  const loading = Promise.withResolvers<undefined>()
  fake.load = () => loading.promise
  write('two')
  current()
  let isStopped = false
  const stopped = stop().then(() => {
    isStopped = true
  })
  await setImmediate()
  expect(isStopped).toBe(false)
  loading.resolve(undefined)
  await stopped
  write('three')
  await current()
  expect(seen.builds).toBe(1)
})
