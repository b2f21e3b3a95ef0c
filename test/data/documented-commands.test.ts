import { execFileSync } from 'node:child_process'
import { chownSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { userItem } from '../../infra/data/table/items.ts'
import { temporaryFile, temporaryFolder } from '../support/machine.ts'
import { sampleProvider, sampleUser, sampleUsers, userId } from '../support/samples.ts'
import { codeOf, dataHere, isMissing, workingFolder } from './running.ts'
import { inState, itemsOf, ndjson, sharedScenario } from './scenario.ts'

const skips = isMissing('The test of the documented commands', 'jq', 'comm', 'bash')

test.skipIf(skips)('the lines for a link without repair take it away', async () => {
  const s = await sharedScenario()
  await s.put(userItem(sampleUser(1, { saml: 99 })))
  expect((await s.find()).faults).toMatchObject([{ repair: undefined }])
  const [lines = ''] = codeOf('Where there is no repair', 'verify/README.md')
  const own = lines.replaceAll('NAME', s.tableName).replace('USER_ID', userId(1))
  expect(await workingFolder().run(own)).toMatchObject({ code: 0 })
  expect((await s.find()).faults).toEqual([])
})

test.skipIf(skips)('the line for an abandoned import opens its provider', async () => {
  const s = await sharedScenario()
  await s.put(...inState('importing', itemsOf([sampleProvider(7)], [])))
  const imported = await dataHere('import', '--table', s.tableName, temporaryFile(ndjson(sampleUser(1))))
  const [sentence, line = ''] = imported.stderr.trimEnd().split('\n').slice(-2)
  expect([imported.code, sentence]).toEqual([
    1,
    'The provider 7 is not in use, because an import of it has not ended. Import it again with all its users; or, to remove it, open it with those who are in the table, and send the DELETE:',
  ])
  expect(await workingFolder().run(line)).toMatchObject({ code: 0 })
  await s.has([sampleProvider(7)], [sampleUser(1)])
})

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
const fixture = (name: string) => join(import.meta.dirname, 'recipe', name)

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

describe.skipIf(skips)('the steps that keep both systems in step', { timeout: 180_000 }, () => {
  const steps = readFileSync(join(import.meta.dirname, '../../infra/data/recipe/in-step.sh'), 'utf8')
  const [erase = ''] = codeOf('Keep both systems in step')
  const [recipe = ''] = codeOf('Move from another system')
  // The start of a process by npm takes as long as all else.
  const here = `npm() { shift 4; '${process.execPath}' infra/commands/data.ts "$@"; }`

  /** A table with a user who is in no dump, and the commands on it. */
  async function inStep(commands = here) {
    const s = await sharedScenario()
    const folder = workingFolder()
    await s.put(...itemsOf([], [sampleUser(1)]))
    const named = (text: string) => text.replaceAll('NAME', s.tableName)
    folder.write('in-step.sh', named(steps).replace(/^# Here: .*/m, commands))
    folder.write('gone', `${userId(99)}\n`) // of an earlier run
    return { ...folder, s, run: (command: string) => folder.run(named(command)) }
  }

  const renamed = (n: number) => ({ ...sampleUser(n), principal_name: 'new' })

  test('erase who has left the old system with its last provider', async () => {
    const psql = 'psql() { case "$*" in *users.sql) cat of-users ;; esac; }'
    const { write, run, read, s } = await inStep(`${psql}\n${recipe}`)
    write('of-users', ndjson(sampleUser(2)))
    expect(await run('bash in-step.sh')).toMatchObject({ code: 0 })
    expect(read('gone')).toBe(`${userId(1)}\n`)
    expect(await run(erase)).toMatchObject({ code: 0 })
    await s.has([], [sampleUser(2)])
  })

  const cutOff = `{"id":"${userId(1).slice(0, 9)}`
  test.each<[name: string, dump: string, printed: RegExp, commands?: string]>([
    ['a file without users', ndjson(sampleProvider(8)), /There is no user in the file\.$/m],
    ['a line without an id', ndjson(sampleUser(2)) + cutOff, /has no id: see told\.$/m],
    ['a failure of jq', ndjson(sampleUser(2)), /^/, `${here}\njq() { command jq "$@"; return 5; }`],
  ])('find nobody after %s', async (_, dump, printed, commands) => {
    const { write, run, read } = await inStep(commands)
    write('dump.ndjson', dump)
    const { code, output } = await run('bash in-step.sh')
    expect([code === 0, output]).toEqual([false, expect.stringMatching(printed)])
    expect(read('gone')).toBeUndefined()
  })

  test.each<[name: string, records: string, state: string]>([
    ['a fault without a line', ndjson(sampleUser(2)), 'of another program'],
    [
      "a new provider's bad line",
      ndjson({ ...sampleProvider(8), name: 5 }, sampleUser(2, { saml: 8 })),
      'removed',
    ],
  ])('change no user after %s', async (_, records, state) => {
    const { write, run, read, s } = await inStep()
    await s.put(...inState(state, itemsOf([sampleProvider(7)], [])))
    const stored = await s.items()
    write('dump.ndjson', records)
    expect((await run('bash in-step.sh')).code).toBe(1)
    expect(read('gone')).toBeUndefined()
    expect(await s.items()).toEqual(stored)
  })

  test('leave out each line with a fault and end with 1', async () => {
    const { write, run, read, s } = await inStep()
    await s.put(...itemsOf([], sampleUsers(7).slice(2)))
    const disabled = { ...sampleUser(2), is_disabled: true }
    const wrong = { ...sampleUser(4), is_disabled: 1 }
    const twice = ndjson(renamed(3)).repeat(3)
    const unreadable = Buffer.concat([
      Buffer.from(JSON.stringify(sampleUser(5)).slice(0, -1)),
      Buffer.from([0xff, 0x7d, 0x0a]),
    ])
    const [first, last] = [ndjson(disabled, wrong) + twice, ndjson(sampleUser(8))]
    write('dump.ndjson', Buffer.concat([Buffer.from(first), unreadable, Buffer.from(last)]))
    const { code, output } = await run('bash in-step.sh')
    expect([code, output]).toEqual([1, expect.stringContaining('Lines with a fault were left out')])
    expect(output).not.toContain('example.com')
    // User 6 has left. Users 4 and 5 stay as they are.
    expect(read('gone')).toBe(`${userId(1)}\n${userId(6)}\n`)
    await s.has([], [sampleUser(1), disabled, renamed(3), ...[4, 5, 6, 8].map(n => sampleUser(n))])
  })
})
