import { EventEmitter, on } from 'node:events'
import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { buildFunctions } from '../../../infra/build.ts'
import { reloadOnChange } from '../../../infra/local/reload.ts'
import { fixtureFunctions } from './lambda/fixture-functions.ts'

const answering = (text: string) => `export const answer = '${text}'`
const importing = (path: string) =>
  `import { answer } from '${path}'\nexport const handler = async () => answer`

function emptyFolder() {
  const folder = mkdtempSync(join(tmpdir(), 'reload-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  return folder
}

/** A function that imports a file of lib/, built, loaded and watched. */
async function watched() {
  const root = emptyFolder()
  const path = (name: string) => join(root, name)
  const write = (name: string, text: string) => writeFileSync(path(name), text)
  for (const folder of ['functions', 'lib/deep']) mkdirSync(path(folder), { recursive: true })
  write('functions/handlers.ts', importing('../lib/deep/answer.ts'))
  write('lib/deep/answer.ts', answering('first'))

  const build = () => buildFunctions(root)
  await build()
  const { result, reload } = await fixtureFunctions(['handler'], path('.build/functions'))
  const output = new EventEmitter()
  const lines = on(output, 'line')
  const folders = [path('functions'), path('lib')]
  const log = (line: string) => output.emit('line', line)
  onTestFinished(await reloadOnChange({ folders, build, load: reload, log }))

  const answer = () => result('handler')
  /** Returns the first line after which the condition holds. One change may cause several reloads. */
  const lineWhen = async (holds: (line: string) => boolean | Promise<boolean>) => {
    for (;;) {
      const [line] = (await lines.next()).value ?? []
      if (await holds(line)) return line
    }
  }
  return {
    path,
    write,
    answer,
    lineWhen,
    lineWhenAnswered: (text: string) => lineWhen(async () => (await answer()) === text),
  }
}

const done = /^reload {5}the functions were loaded again after \d+ ms$/

describe('a change of a file', () => {
  test('below lib/ or functions/ changes the next answer, and one line reports it', async () => {
    const { write, answer, lineWhenAnswered } = await watched()
    expect(await answer()).toBe('first')
    write('lib/deep/answer.ts', answering('second'))
    expect(await lineWhenAnswered('second')).toMatch(done)
    write('functions/handlers.ts', `export const handler = async () => 'third'`)
    expect(await lineWhenAnswered('third')).toMatch(done)
  })

  test('is seen each time an editor replaces the file', async () => {
    const { path, write, lineWhenAnswered } = await watched()
    for (const text of ['second', 'third', 'fourth']) {
      write('answer.new', answering(text))
      renameSync(path('answer.new'), path('lib/deep/answer.ts'))
      expect(await lineWhenAnswered(text)).toMatch(done)
    }
  })

  test('is seen in a folder that is created later', async () => {
    const { path, write, lineWhenAnswered } = await watched()
    mkdirSync(path('lib/new'))
    write('lib/new/answer.ts', answering('second'))
    write('functions/handlers.ts', importing('../lib/new/answer.ts'))
    expect(await lineWhenAnswered('second')).toMatch(done)
    write('lib/new/answer.ts', answering('third'))
    expect(await lineWhenAnswered('third')).toMatch(done)
  })
})

describe('an edit', () => {
  test.each([
    ['that cannot be built', 'export const answer = {', /answer\.ts:1:23: ERROR: /],
    ['that cannot be loaded', 'throw new Error("at once"); export const answer = 1', /: at once$/],
  ])('%s is reported, the last functions stay, and a correction is loaded', async (_, text, fault) => {
    const { write, answer, lineWhen, lineWhenAnswered } = await watched()
    write('lib/deep/answer.ts', text)
    expect(await lineWhen(line => fault.test(line))).toMatch(/^reload {5}failed, the last functions stay/)
    expect(await answer()).toBe('first')
    write('lib/deep/answer.ts', answering('corrected'))
    expect(await lineWhenAnswered('corrected')).toMatch(done)
  })
})

test('a path that cannot be watched is reported, and the others are watched', async () => {
  const { path, write, lineWhen, lineWhenAnswered } = await watched()
  symlinkSync('itself', path('lib/itself'))
  expect(await lineWhen(line => line.includes('ELOOP'))).toMatch(
    /^reload {5}a path cannot be watched, restart/,
  )
  write('lib/deep/answer.ts', answering('second'))
  expect(await lineWhenAnswered('second')).toMatch(done)
})

test('the stop waits for a running reload', async () => {
  const root = emptyFolder()
  const events: string[] = []
  const options = { folders: [root], log: () => events.push('line'), load: async () => events.push('load') }
  const building = Promise.withResolvers<void>()
  const begun = Promise.withResolvers<void>()
  const build = () => {
    begun.resolve()
    return building.promise
  }
  const end = await reloadOnChange({ ...options, build })
  writeFileSync(join(root, 'a.ts'), '')
  await begun.promise
  const ended = end().then(() => events.push('end'))
  const endIdle = await reloadOnChange({ ...options, build })
  await endIdle()
  expect(events).toEqual([])
  building.resolve()
  await ended
  expect(events).toEqual(['load', 'line', 'end'])
})

test('nothing is built after the stop', async () => {
  const root = emptyFolder()
  const built: string[] = []
  const loaded = Promise.withResolvers<void>()
  const start = (name: string) =>
    reloadOnChange({
      folders: [root],
      build: async () => built.push(name),
      load: async () => loaded.resolve(),
      log: () => {},
    })
  const stop = await start('stopped')
  onTestFinished(await start('running'))
  await stop()
  writeFileSync(join(root, 'a.ts'), '')
  await loaded.promise
  expect(built).toEqual(['running'])
})
