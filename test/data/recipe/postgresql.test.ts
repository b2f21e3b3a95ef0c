import { execFileSync } from 'node:child_process'
import { chownSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { codeOf, isMissing, workingFolder } from './working-folder.ts'

const fixture = (name: string) => join(import.meta.dirname, 'files', name)
const skips = isMissing('The recipe for PostgreSQL', 'initdb', 'pg_ctl', 'psql', 'bash')

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

test.skipIf(skips)('the recipe for PostgreSQL writes the files that are imported', async () => {
  const env = postgres()
  const { write, read, run } = workingFolder()
  const sql = (option: string, text: string) => run(`psql -X -qAt ${option} "${text}"`, env)
  expect(await sql('-v ON_ERROR_STOP=1 -f', fixture('postgresql.sql'))).toEqual({ code: 0, output: '' })
  const commands = codeOf('Move from another system')[0] as string
  write('.psqlrc', '\\timing on\n\\set QUIET off\n')
  expect(await run(commands, env)).toEqual({ code: 0, output: '' })
  expect(read('dump.ndjson')).toBe(readFileSync(fixture('postgresql.ndjson'), 'utf8'))

  await sql('-c', 'ALTER TABLE users DROP COLUMN last_login')
  expect((await run(commands, env)).code).not.toBe(0)
})
