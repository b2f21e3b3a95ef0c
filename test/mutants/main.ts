import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { Argument } from '@commander-js/extra-typings'
import { defineCommand, runCommand } from '../../infra/command-line/command.ts'
import { print } from '../../infra/command-line/output.ts'
import { projectRoot } from '../../infra/project-root.ts'

/** The tests that must find the mutants of each room of lib/. */
const testsOf = {
  auth: 'test/auth/**/*.test.ts',
  domain: 'test/{domain,http,request}/**/*.test.ts',
  http: 'test/{http,request}/**/*.test.ts',
  removal: 'test/{removal,request}/**/*.test.ts',
  store: 'test/{store,removal,request}/**/*.test.ts',
}
const rooms = Object.keys(testsOf) as (keyof typeof testsOf)[]

/** Runs a program in the project's folder, and fails when it does. */
function run(program: string, ...values: string[]): void {
  const { status } = spawnSync(program, values, { cwd: projectRoot, stdio: 'inherit' })
  if (status !== 0) throw new Error(`${program} ${values[0]} ended with exit code ${status}.`)
}

const command = defineCommand('npm run mutants --', {
  purpose:
    'Changes the code of lib/ in one small place at a time and runs the tests of its room: those changes that no test finds are printed. Takes up to an hour a room.',
  example: 'npm run mutants -- auth',
})
  .addArgument(new Argument('[ROOM...]', 'The folders of lib/; all by default.').choices(rooms))
  .action(chosen => {
    // Stryker has a lock file of its own: its 150 packages are installed by those alone who ask for mutants.
    const folder = join(projectRoot, 'test/mutants')
    if (!existsSync(join(folder, 'node_modules')))
      run('npm', 'ci', '--prefix', folder, '--ignore-scripts', '--legacy-peer-deps')
    for (const room of chosen.length === 0 ? rooms : chosen) {
      print(`lib/${room}`)
      const stryker = join(folder, 'node_modules/@stryker-mutator/core/bin/stryker.js')
      const config = join(folder, 'stryker.config.json')
      const only = ['--mutate', `lib/${room}/**/*.ts`, '--testFiles', testsOf[room]]
      const results = join('.build', `mutants-${room}.json`)
      run(process.execPath, stryker, 'run', config, ...only, '--incremental', '--incrementalFile', results)
    }
  })

await runCommand(import.meta.filename, command)
