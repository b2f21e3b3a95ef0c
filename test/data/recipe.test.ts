import { execFileSync } from 'node:child_process'
import { chownSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { projectRoot } from '../../infra/project-root.ts'
import { temporaryFolder } from '../support/machine.ts'
import { isMissing } from './running.ts'

/** Starts a server without a port. @returns the variables of its clients */
function postgres() {
  const folder = temporaryFolder()
  // PostgreSQL refuses to run as root.
  const as = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {}
  if (as.uid !== undefined) chownSync(folder, as.uid, as.gid)
  const pg = (program: string, ...args: string[]) =>
    execFileSync(program, ['-D', join(folder, 'data'), ...args], { ...as, cwd: folder, stdio: 'ignore' })
  pg('initdb', '-A', 'trust', '-U', 'postgres', '-E', 'UTF8', '--no-sync')
  pg('pg_ctl', '-w', '-l', join(folder, 'log'), '-o', `-k ${folder} -c listen_addresses= -F`, 'start')
  onTestFinished(() => void pg('pg_ctl', '-m', 'immediate', 'stop'))
  return { PGHOST: folder, PGUSER: 'postgres', PGTZ: 'UTC' }
}

const fixture = (name: string) => join(import.meta.dirname, 'recipe', name)
const skips = isMissing('The recipe for PostgreSQL', 'initdb', 'pg_ctl', 'psql')

test.skipIf(skips)('the recipe for PostgreSQL writes the files that are imported', () => {
  const folder = temporaryFolder()
  symlinkSync(join(projectRoot, 'infra'), join(folder, 'infra'))
  writeFileSync(join(folder, '.psqlrc'), '\\timing on\n\\set QUIET off\n')
  const env = { ...process.env, HOME: folder, ...postgres() }
  const run = (commands: string) =>
    execFileSync('sh', ['-ec', commands], { cwd: folder, env, encoding: 'utf8', stdio: 'pipe' })
  const page = readFileSync(join(projectRoot, 'infra/data/README.md'), 'utf8')
  const [, recipe = ''] = /^## Move from another system$[\s\S]*?^```bash\n([\s\S]*?)^```$/m.exec(page) ?? []

  run(`psql -X -qAt -v ON_ERROR_STOP=1 -f ${fixture('tables.sql')}`)
  expect(run(recipe)).toBe('')
  expect(readFileSync(join(folder, 'dump.ndjson'), 'utf8')).toBe(
    readFileSync(fixture('expected.ndjson'), 'utf8'),
  )
  run('psql -X -qAt -c "ALTER TABLE users DROP COLUMN last_login"')
  expect(() => run(recipe)).toThrow('last_login')
})
