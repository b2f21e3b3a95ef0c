import { execFileSync } from 'node:child_process'
import { chownSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { userItem } from '../../infra/data/table/items.ts'
import { sampleProvider, sampleUser, userId } from '../support/samples.ts'
import { temporaryFile, temporaryFolder } from '../support/machine.ts'
import { dataHere } from './command-process.ts'
import { codeOf, isMissing, workingFolder } from './documented-commands.ts'
import { itemsOf, ndjson, sharedScenario } from './scenario.ts'

const fixture = (name: string) => join(import.meta.dirname, 'recipe', name)

test.skipIf(isMissing('Taking links away', 'jq', 'bash'))(
  'the lines of the README take a link away for which verify has no repair',
  async () => {
    const s = await sharedScenario()
    await s.put(userItem(sampleUser(1, { saml: 99 })))
    expect((await s.find()).faults).toMatchObject([{ repair: undefined }])
    const [lines = ''] = codeOf('Where there is no repair', 'verify/README.md')
    const own = lines.replaceAll('NAME', s.tableName).replace('USER_ID', userId(1))
    expect(await workingFolder().run(own)).toMatchObject({ code: 0 })
    expect((await s.find()).faults).toEqual([])
  },
)

test.skipIf(isMissing('Opening a provider whose import was abandoned', 'jq', 'bash'))(
  'an import ends with 1 while a provider is importing, and prints the line that opens it',
  async () => {
    const s = await sharedScenario()
    const [importing] = itemsOf([sampleProvider(7)], [])
    await s.put({ ...importing, state: 'importing' })
    const imported = await dataHere('import', '--table', s.tableName, temporaryFile(ndjson(sampleUser(1))))
    const [sentence, line = ''] = imported.stderr.trimEnd().split('\n').slice(-2)
    expect([imported.code, sentence]).toEqual([
      1,
      'The provider 7 is not in use, because an import of it has not ended. Import it again with all its users; or, to remove it, open it with those who are in the table, and send the DELETE:',
    ])
    expect(await workingFolder().run(line)).toMatchObject({ code: 0 })
    expect(await s.items()).toEqual(itemsOf([sampleProvider(7)], [sampleUser(1)]))
  },
)

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

const skipsSql = isMissing('The recipe for PostgreSQL', 'initdb', 'pg_ctl', 'psql', 'bash')

test.skipIf(skipsSql)('the recipe for PostgreSQL writes the files that are imported', async () => {
  const env = postgres()
  const { write, read, run } = workingFolder()
  const sql = (option: string, text: string) => run(`psql -X -qAt ${option} "${text}"`, env)
  expect(await sql('-v ON_ERROR_STOP=1 -f', fixture('tables.sql'))).toEqual({ code: 0, output: '' })
  const [commands = ''] = codeOf('Move from another system')
  write('.psqlrc', '\\timing on\n\\set QUIET off\n')
  expect(await run(commands, env)).toEqual({ code: 0, output: '' })
  expect(read('dump.ndjson')).toBe(readFileSync(fixture('expected.ndjson'), 'utf8'))

  await sql('-c', 'ALTER TABLE users DROP COLUMN last_login')
  expect((await run(commands, env)).code).not.toBe(0)
})
