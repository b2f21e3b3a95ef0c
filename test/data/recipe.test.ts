import { execFileSync, spawnSync } from 'node:child_process'
import { chownSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { projectRoot } from '../../infra/project-root.ts'
import { providerRecordOf, userOf } from '../../lib/store/items.ts'
import { temporaryFile, temporaryFolder } from '../support/machine.ts'
import { scenario } from './scenario.ts'

/** Starts a PostgreSQL without a port. @returns a function that runs a file of SQL */
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
  const env = { ...process.env, PGHOST: folder, PGUSER: 'postgres', PGTZ: 'Europe/Berlin' }
  return (file: string) => {
    const args = ['-X', '-qAt', '-v', 'ON_ERROR_STOP=1', '-f', join(projectRoot, file)]
    return execFileSync('psql', args, { env, encoding: 'utf8' })
  }
}

const missing = ['initdb', 'pg_ctl', 'psql'].filter(one => spawnSync(one, ['--version']).error)
if (missing.length > 0)
  process.stdout.write(`The recipe for PostgreSQL is skipped: ${missing.join(', ')} is missing.\n`)

test.skipIf(missing.length > 0)('the recipe for PostgreSQL prints what is imported', async () => {
  const run = postgres()
  run('test/data/tables.sql')
  const s = await scenario()
  const printed = temporaryFile(run('infra/data/recipe.sql'))
  expect(await s.import(printed), 'print each field in infra/data/recipe.sql').toEqual([])
  const stored = await s.items()
  const providers = stored.flatMap(item => providerRecordOf(item)?.resource ?? [])
  const users = stored.filter(({ SK }) => SK === 'USER').map(userOf)
  expect(await s.find()).toEqual([])
  const none = { int32: 0, valid: false }
  expect(providers).toMatchObject([{ id: 7, name: 'acme', sso_provider_id: { int32: 11, valid: true } }])
  expect(users).toMatchObject([
    // Provider 8 is deleted.
    {
      principal_name: 'ben',
      saml_provider_id: none,
      sso_provider_id: none,
      AuthSecret: { id: 1 },
      roles: [],
    },
    {
      principal_name: 'ada',
      first_name: { string: 'A\\"da\nL', valid: true },
      last_login: '0001-01-01T00:00:00Z',
      created_at: '2024-03-29T07:30:15.250Z',
      roles: [{ id: 3, permissions: [{ id: 7, name: 'AppRead' }] }],
      environment_targeted_access_control: [{ environment_id: 'one' }],
    },
  ])
})
