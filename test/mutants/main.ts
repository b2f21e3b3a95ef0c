import { spawnSync } from 'node:child_process'
import { existsSync, statSync } from 'node:fs'
import { join, relative, resolve, sep } from 'node:path'
import { defineCommand, runCommand } from '../../infra/command-line/command.ts'
import { projectRoot } from '../../infra/project-root.ts'

const config = 'test/mutants/stryker.config.json'

const aboutRemovals = 'calls|log|*removal'
const aboutItems = 'broken-replies|callers|list|table-rules|unknown-attributes'
const requests = `request/!(${aboutRemovals}|${aboutItems})`

/**
 * The tests that must find the mutants of each room of lib/: those that are about it, and do not take long. The explorer of
 * removals takes longer than all others together.
 */
const testsOf: Record<string, string[]> = {
  auth: ['auth/**/*'],
  domain: ['domain/*', 'http/*', 'request/*', 'removal/malformed-removal'],
  http: ['http/*', 'request/@(callers|log)', requests],
  removal: ['removal/!(explorer)', `request/@(${aboutRemovals})`],
  store: ['store/*', 'removal/malformed-removal', `request/@(${aboutItems})`],
}

/** The folder in lib/ that a path is in. */
const roomOf = (path: string) => relative(join(projectRoot, 'lib'), resolve(path)).split(sep)[0] ?? ''

/** Runs a program in the project's folder, and fails when it does. */
function run(program: string, ...values: string[]): void {
  const { status } = spawnSync(program, values, { cwd: projectRoot, stdio: 'inherit' })
  if (status !== 0) throw new Error(`${program} ${values[0]} ended with exit code ${status}.`)
}

const command = defineCommand('npm run mutants --', {
  purpose:
    'Changes the code of lib/ in one small place at a time and runs the tests of its folder: those changes that no test finds are printed. Leaves out what runs once, when a module is loaded. Takes a minute for a small file, hours for all.',
  example: 'npm run mutants -- lib/auth/verifier.ts',
})
  .argument('[PATH...]', `Files or folders in lib/${Object.keys(testsOf).join(', lib/')}; all by default.`)
  .action(async chosen => {
    const paths = chosen.length > 0 ? chosen : Object.keys(testsOf).map(room => `lib/${room}`)
    for (const path of paths)
      if (testsOf[roomOf(path)] === undefined || !existsSync(path))
        throw new Error(`There is no ${path} in these folders.`)
    // Stryker's 150 packages are installed by those alone who ask for mutants, and nothing else runs them.
    const folder = join(projectRoot, 'test/mutants')
    if (!existsSync(join(folder, 'node_modules')))
      run('npm', 'install', '--prefix', folder, '--no-package-lock', '--ignore-scripts', '--legacy-peer-deps')
    const stryker = join(folder, 'node_modules/@stryker-mutator/core/bin/stryker.js')
    for (const [room, ofRoom] of Map.groupBy(paths, roomOf)) {
      const mutated = ofRoom.map(path => (statSync(path).isDirectory() ? join(path, '**/*.ts') : path)).join()
      // Stryker splits at every comma, so {a,b} would be two patterns that match nothing, and every test would run.
      const tests = testsOf[room]?.map(pattern => `test/${pattern}.test.ts`).join() ?? ''
      run(process.execPath, stryker, 'run', config, '--mutate', mutated, '--testFiles', tests)
    }
  })

await runCommand(import.meta.filename, command)
