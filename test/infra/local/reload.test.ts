import { mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { reloadOnChange } from '../../../infra/local/reload.ts'
import { temporaryFolder } from '../../support/machine.ts'

// test/infra/commands/start.test.ts has the edits, also a wrong one, and what is printed of them.

test('what was changed, added or removed in any folder is loaded once, also when it was during a load', async () => {
  const folder = temporaryFolder()
  const path = (name: string) => join(folder, name)
  const write = (name: string, text = '') => writeFileSync(path(name), text)
  write('source.ts', 'one')
  let loads = 0
  let duringLoad = async () => {}
  const load = async () => {
    loads++
    const text = readFileSync(path('source.ts'), 'utf8')
    await duringLoad()
    if (text === 'wrong') throw new Error('source.ts:1:1: ERROR')
    return text
  }
  const { current, settled } = await reloadOnChange([folder], load, () => {})
  const after = async (change: () => void) => {
    change()
    return [await current(), loads]
  }
  expect(await after(() => {})).toEqual(['one', 1])
  expect(await after(() => write('.source.ts.swp'))).toEqual(['one', 1])
  expect(await after(() => mkdirSync(path('deep/deeper'), { recursive: true }))).toEqual(['one', 1])
  expect(await after(() => write('deep/deeper/a.ts'))).toEqual(['one', 2])
  expect(await after(() => symlinkSync('itself.ts', path('itself.ts')))).toEqual(['one', 3])
  expect(await after(() => rmSync(path('deep'), { recursive: true }))).toEqual(['one', 4])
  expect(await after(() => write('source.ts', 'wrong'))).toEqual(['one', 5])
  expect(await after(() => {})).toEqual(['one', 5])
  write('editors.tmp', 'two')
  expect(await after(() => renameSync(path('editors.tmp'), path('source.ts')))).toEqual(['two', 6])

  duringLoad = async () => write('source.ts', 'four')
  expect(await after(() => write('source.ts', 'three'))).toEqual(['three', 7])
  const released = Promise.withResolvers<void>()
  duringLoad = () => released.promise
  const loading = current()
  let isLoaded = false
  loading.then(() => {
    isLoaded = true
  })
  const isLoadedWhenSettled = settled().then(() => isLoaded)
  released.resolve()
  expect([await loading, await isLoadedWhenSettled, loads]).toEqual(['four', true, 8])
})
