import { mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setImmediate } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { hideLogEvents } from '../../../infra/local/functions/log-events.ts'
import { awslambda, callHandler } from '../../../infra/local/functions/runtime.ts'
import { reloadOnChange } from '../../../infra/local/reload.ts'
import { runOnSchedule } from '../../../infra/local/schedule.ts'
import { fakeClock } from '../../support/fake-clock.ts'
import { captured, temporaryFolder } from '../../support/machine.ts'

// test/end-to-end calls the built functions; test/infra/commands/start.test.ts edits their sources.

const head = { statusCode: 200, headers: {} }
type Stream = Parameters<typeof awslambda.HttpResponseStream.from>[0]
/** The answer of a handler that writes a brace, and then does the rest. */
const answerOf = (rest: (stream: Stream) => void) => {
  const handler = awslambda.streamifyResponse(async (_, stream) => {
    awslambda.HttpResponseStream.from(stream as Stream, head).write('{')
    rest(stream as Stream)
  })
  return callHandler(handler, {}, {})
}
const fail = () => {
  throw new Error('the table is gone')
}

test('a streaming handler begins its answer with the head', async () => {
  const whole = await answerOf(stream => stream.end('}'))
  expect(whole).toMatchObject(head)
  expect(await text(whole.body as Stream)).toBe('{}')
})

test('a streaming handler breaks its answer off when it throws', async () => {
  const cut = await answerOf(fail)
  await expect(text(cut.body as Stream)).rejects.toThrow('the table is gone')
})

test('a streaming handler has no answer when it never begins one', async () => {
  const early = async () => fail()
  for (const handler of [early, awslambda.streamifyResponse(early)])
    await expect(callHandler(handler, {}, {})).rejects.toThrow('the table is gone')
  const silent = awslambda.streamifyResponse(async () => {})
  await expect(callHandler(silent, {}, {})).rejects.toThrow('has not opened its stream')
})

test('errors and other lines stay where log events are hidden', async () => {
  const event = (level: string) =>
    `{"timestamp":"2026-11-26T00:00:00.000Z","level":"${level}","event":"any"}\n`
  const { stdout } = await captured(async () => {
    hideLogEvents()
    for (const line of [event('INFO'), event('WARN'), event('ERROR'), 'ready\n']) process.stdout.write(line)
  })
  expect(stdout).toBe(`${event('ERROR')}ready\n`)
})

test('a scheduled function has one run at a time', async () => {
  const clock = fakeClock()
  const runs: PromiseWithResolvers<never>[] = []
  const lines: string[] = []
  const invoke = () => {
    const run = Promise.withResolvers<never>()
    runs.push(run)
    return run.promise
  }
  const everyMs = 60_000
  const stop = runOnSchedule(invoke, { everyMs, timeoutMs: 50_000 }, clock, line => lines.push(line))
  const runsAfter = async (ms: number) => {
    await setImmediate() // promises settle first
    clock.advance(ms)
    await setImmediate()
    return runs.length
  }
  expect(await runsAfter(everyMs - 1)).toBe(0)
  expect(await runsAfter(1)).toBe(1)
  expect(await runsAfter(10 * everyMs)).toBe(1)
  runs[0]?.reject(new Error('the table is gone'))
  expect(await runsAfter(everyMs)).toBe(2)
  expect(lines).toEqual([expect.stringContaining('finishRemovals: the table is gone')])
  stop()
  runs[1]?.resolve({} as never)
  expect(await runsAfter(everyMs)).toBe(2)
  expect(clock.scheduled()).toBe(0)
})

async function opened() {
  const folder = temporaryFolder()
  const path = (name: string) => join(folder, name)
  const write = (name: string, text = '') => writeFileSync(path(name), text)
  write('source.ts', 'one')
  const during = { load: async () => {} }
  let loads = 0
  const load = async () => {
    loads++
    const text = readFileSync(path('source.ts'), 'utf8')
    await during.load()
    if (text === 'wrong') throw new Error('source.ts:1:1: ERROR')
    return text
  }
  const current = await reloadOnChange([folder], load, () => {})
  /** What is loaded after a change, and how many loads there were. */
  const loadedAfter = async (change = () => {}) => {
    change()
    return [await current(), loads]
  }
  return { path, write, during, loadedAfter }
}

test('sources that have changed are loaded by the next request', async () => {
  const { path, write, loadedAfter } = await opened()
  expect(await loadedAfter()).toEqual(['one', 1])
  expect(await loadedAfter(() => write('.source.ts.swp'))).toEqual(['one', 1])
  expect(await loadedAfter(() => mkdirSync(path('deep/deeper'), { recursive: true }))).toEqual(['one', 1])
  expect(await loadedAfter(() => write('deep/deeper/a.ts'))).toEqual(['one', 2])
  expect(await loadedAfter(() => symlinkSync('itself.ts', path('itself.ts')))).toEqual(['one', 3])
  expect(await loadedAfter(() => rmSync(path('deep'), { recursive: true }))).toEqual(['one', 4])
  expect(await loadedAfter(() => write('source.ts', 'wrong'))).toEqual(['one', 5])
  expect(await loadedAfter()).toEqual(['one', 5])
  write('editors.tmp', 'two')
  expect(await loadedAfter(() => renameSync(path('editors.tmp'), path('source.ts')))).toEqual(['two', 6])
})

test('sources that change during a load are loaded again by the next request', async () => {
  const { write, during, loadedAfter } = await opened()
  during.load = async () => write('source.ts', 'three')
  expect(await loadedAfter(() => write('source.ts', 'two'))).toEqual(['two', 2])
  expect(await loadedAfter()).toEqual(['three', 3])
})
