import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  closeSync,
  cpSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { print } from '../../infra/command-line/output.ts'
import { Interrupted, onInterrupt } from '../../infra/command-line/signals.ts'
import { projectRoot } from '../../infra/project-root.ts'

/** In a file, this text becomes that; and the nearest tests, of which one must fail then, by their paths in test/. */
export type Mistake = readonly [file: string, from: string, to: string, ...tests: string[]]

const folder = join(projectRoot, '.build/planted')
const outputPath = join(folder, '.build/output')
const reportPath = join(folder, '.build/report.json')
const timeOutMs = 240_000
const timeOutOfAllMs = 1_800_000

/**
 * Plants one mistake at a time into a copy of the project below .build/, and prints what its tests say.
 *
 * @returns the number of mistakes that no test finds
 * @throws Error of one sentence when the tests fail without a mistake, or do not run
 */
export async function plant(mistakes: readonly Mistake[]): Promise<number> {
  const texts = mistakes.map(planted)
  copyProject()
  const all = [...new Set(mistakes.flatMap(([, , , ...tests]) => tests))]
  print(`${mistakes.length} mistakes; first ${all.length} files of tests without one`)
  // What fails after this does so because of the mistake.
  if ((await run(all, timeOutOfAllMs)) !== 'GREEN')
    throw new Error(`Tests fail or hang without a mistake: see ${outputPath}.`)
  let missed = 0
  for (const [index, [file, from, to, ...tests]] of mistakes.entries()) {
    const path = join(folder, file)
    const original = readFileSync(path)
    const startMs = Date.now()
    writeFileSync(path, texts[index] as string)
    const is = await run(tests, timeOutMs)
    writeFileSync(path, original)
    if (is === 'GREEN') missed += 1
    const seconds = ((Date.now() - startMs) / 1000).toFixed(1)
    print(`${is.padEnd(5)} ${seconds.padStart(6)} s  ${file}  ${`${from} → ${to}`.replaceAll(/\s+/g, ' ')}`)
  }
  rmSync(folder, { recursive: true })
  return missed
}

/** The text of the file with the mistake. @throws Error of one sentence when the place or a test is not there */
function planted([file, from, to, ...tests]: Mistake): string {
  for (const path of [file, ...tests.map(test => `test/${test}.test.ts`)])
    if (!existsSync(join(projectRoot, path))) throw new Error(`There is no ${path}, for the mistake "${to}".`)
  const parts = readFileSync(join(projectRoot, file), 'utf8').split(from)
  if (parts.length !== 2) throw new Error(`"${from}" occurs ${parts.length - 1} times in ${file}, not once.`)
  return parts.join(to)
}

/** All files that Git has or would add: a mistake in the working tree would stay there when the run is killed. */
function copyProject(): void {
  rmSync(folder, { recursive: true, force: true })
  const list = execFileSync('git', ['ls-files', '-coz', '--exclude-standard'], {
    cwd: projectRoot,
    encoding: 'utf8',
  })
  for (const file of list.split('\0').filter(name => name !== '' && existsSync(join(projectRoot, name))))
    cpSync(join(projectRoot, file), join(folder, file))
  mkdirSync(join(folder, '.build'))
  symlinkSync(join(projectRoot, 'node_modules'), join(folder, 'node_modules'))
}

/**
 * Runs tests of the copy.
 *
 * @throws Error of one sentence when no test ran, or something else than a test failed, such as the parsing of a file
 */
async function run(tests: readonly string[], ms: number): Promise<'red' | 'hangs' | 'GREEN'> {
  rmSync(reportPath, { force: true })
  const reporters = ['--bail=1', '--reporter=default', '--reporter=json', `--outputFile.json=${reportPath}`]
  const files = tests.map(test => `test/${test}.test.ts`)
  const words = [
    'node_modules/vitest/vitest.mjs',
    'run',
    '--config',
    'test/vitest.config.ts',
    ...reporters,
    ...files,
  ]
  const [code, isOver] = await ended(words, ms)
  if (isOver) return 'hangs'
  const { numTotalTests: total = 0, numFailedTests: failed = 0 } = existsSync(reportPath)
    ? JSON.parse(readFileSync(reportPath, 'utf8'))
    : {}
  if (failed > 0) return 'red'
  if (total > 0 && code === 0) return 'GREEN'
  throw new Error(`No test of ${files.join(', ')} failed, but the run did (${code}): see ${outputPath}.`)
}

/** Runs a program of Node.js in a process group of its own. @returns its exit code, and whether it took too long */
async function ended(words: string[], ms: number): Promise<[code: unknown, isOver: boolean]> {
  const file = openSync(outputPath, 'w')
  const child = spawn(process.execPath, words, { cwd: folder, detached: true, stdio: ['ignore', file, file] })
  closeSync(file)
  // With everything that the tests have started.
  const kill = () => process.kill(-Number(child.pid), 'SIGKILL')
  let isOver = false
  let isInterrupted = false
  const timer = setTimeout(() => {
    isOver = true
    kill()
  }, ms)
  const ignore = onInterrupt(() => {
    isInterrupted = true
    kill()
  })
  const [code] = await once(child, 'exit')
  clearTimeout(timer)
  ignore()
  if (isInterrupted) throw new Interrupted('Interrupted.')
  return [code, isOver]
}
