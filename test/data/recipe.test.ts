import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { chownSync, existsSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { describe, expect, inject, onTestFinished, test } from 'vitest'
import { userItem } from '../../lib/store/items.ts'
import { sampleProvider, sampleUser, sampleUsers, userId } from '../support/samples.ts'
import { temporaryFile, temporaryFolder } from '../support/temporary-folder.ts'
import { dataHere } from './command-process.ts'
import { itemsOf, ndjson, sharedScenario } from './scenario.ts'

const root = join(import.meta.dirname, '../..')
const page = readFileSync(join(root, 'infra/data/README.md'), 'utf8')
const fixture = (name: string) => join(import.meta.dirname, 'recipe', name)

/** The blocks of code of a section of the page, in order. */
function codeOf(heading: string): string[] {
  const section = page.split('\n## ').find(part => part.startsWith(`${heading}\n`)) ?? ''
  return [...section.matchAll(/^```.*\n([\s\S]*?)^```$/gm)].map(([, code = '']) => code)
}

/** Whether this machine lacks a program; says so. */
function isMissing(subject: string, ...programs: string[]): boolean {
  const missing = programs.filter(one => spawnSync(one, ['--version']).error !== undefined)
  if (missing.length > 0) process.stdout.write(`${subject} is skipped: ${missing.join(', ')} is missing.\n`)
  return missing.length > 0
}

/** A folder where the commands of the documents can be run as in a clone. */
function workingFolder() {
  const folder = temporaryFolder()
  const path = (name: string) => join(folder, name)
  for (const name of ['package.json', 'infra', 'lib', 'node_modules'])
    symlinkSync(join(root, name), path(name))
  return {
    write: (name: string, content: string | Buffer) => writeFileSync(path(name), content),
    read: (name: string) => (existsSync(path(name)) ? readFileSync(path(name), 'utf8') : undefined),
    /** Runs commands in bash, whose home is the folder. @returns the exit code, and what is printed */
    async run(commands: string, env: Record<string, string> = {}) {
      const child = spawn('bash', ['-c', `exec 2>&1\n${commands}`], {
        cwd: folder,
        env: { ...process.env, HOME: folder, DYNAMODB_ENDPOINT: inject('dynamodbEndpoint'), ...env },
        stdio: ['ignore', 'pipe', 'inherit'],
      })
      const code = new Promise<number | null>(resolve => child.on('close', resolve))
      return { output: await text(child.stdout), code: await code }
    },
  }
}

const skipsSteps = isMissing('Keeping both systems in step', 'jq', 'comm', 'bash')

describe.skipIf(skipsSteps)('the steps that keep both systems in step', { timeout: 180_000 }, () => {
  const [steps = '', erase = ''] = codeOf('Keep both systems in step')
  const [recipe = ''] = codeOf('Move from another system')
  /** A table with a user who is in no dump, and the commands on it. */
  async function inStep(commands: string) {
    const s = await sharedScenario()
    const folder = workingFolder()
    await s.put(...itemsOf([], [sampleUser(1)]))
    const named = (text: string) => text.replaceAll('NAME', s.tableName)
    folder.write('in-step.sh', named(steps).replace(/^# Here: .*/m, commands))
    folder.write('gone', `${userId(99)}\n`) // of an earlier run
    return { ...folder, s, run: (command: string) => folder.run(named(command)) }
  }

  test('erase who has left the old system, also after it deleted its last provider', async () => {
    const psql = 'psql() { case "$*" in *users.sql) cat of-users ;; esac; }'
    const { write, run, read, s } = await inStep(`${psql}\n${recipe}`)
    write('of-users', ndjson(sampleUser(2)))
    expect(await run('bash in-step.sh')).toMatchObject({ code: 0 })
    expect(read('gone')).toBe(`${userId(1)}\n`)
    expect(await run(erase)).toMatchObject({ code: 0 })
    expect(await s.items()).toEqual(itemsOf([], [sampleUser(2)]))
  })

  // The start of a process by npm takes as long as all else.
  const here = `npm() { shift 4; '${process.execPath}' infra/commands/data.ts "$@"; }`
  const named = (n: number, principal_name: string) => ({ ...sampleUser(n), principal_name })
  const bad = (n: number) => ({ ...sampleUser(n), is_disabled: 1 })

  test.each<[name: string, records: string, state?: string]>([
    ['a file without users', ndjson(sampleProvider(8))],
    ['a fault without a line', ndjson(sampleUser(2)), 'of another program'],
    ["a new provider's bad line", ndjson({ ...sampleProvider(8), name: 5 }, sampleUser(2, { saml: 8 }))],
  ])('change no user and find nobody after %s', async (_, records, state = 'removed') => {
    const { write, run, read, s } = await inStep(here)
    const [provider] = itemsOf([sampleProvider(7)], [])
    await s.put({ ...provider, state })
    const before = await s.items()
    write('dump.ndjson', records)
    expect((await run('bash in-step.sh')).code).toBe(1)
    expect(read('gone')).toBeUndefined()
    expect((await s.items()).filter(({ id }) => id !== 8)).toEqual(before)
  })

  test('find nobody while nobody knows whose a bad line is', async () => {
    const { write, run, read } = await inStep(here)
    write('dump.ndjson', `${ndjson(sampleUser(2))}{"id":"${userId(1).slice(0, 9)}`)
    expect(await run('bash in-step.sh')).toMatchObject({
      code: 1,
      output: expect.stringMatching(/has no id: see told\.$/m),
    })
    expect(read('gone')).toBeUndefined()
  })

  test('find nobody after a failure of jq', async () => {
    const { write, run, read } = await inStep(`${here}\njq() { command jq "$@"; return 5; }`)
    write('dump.ndjson', ndjson(sampleUser(2)))
    expect((await run('bash in-step.sh')).code).not.toBe(0)
    expect(read('gone')).toBeUndefined()
  })

  test('import 200 changes when there is no fault', async () => {
    const { write, run, read, s } = await inStep(here)
    const users = Array.from({ length: 200 }, (_, n) => named(n + 1, 'new'))
    await s.put(...itemsOf([], sampleUsers(201).slice(1)))
    write('dump.ndjson', ndjson(...users))
    expect(await run('bash in-step.sh')).toMatchObject({ code: 0 })
    expect(read('gone')).toBe('')
    expect(await s.items()).toEqual(itemsOf([], users))
  })

  test('leave out each line with a fault, import all others, and end with 1', async () => {
    const { write, run, read, s } = await inStep(here)
    await s.put(...itemsOf([], sampleUsers(7).slice(2)))
    const twice = ndjson(named(3, 'new'))
    const bytes = (text: string) => Buffer.from(text)
    const dump = [
      bytes(ndjson({ ...sampleUser(2), is_disabled: true })),
      bytes(ndjson(bad(4))),
      bytes(twice.repeat(3)),
      Buffer.concat([bytes(JSON.stringify(sampleUser(5)).slice(0, -1)), Buffer.from([0xff, 0x7d, 0x0a])]),
      bytes(ndjson(sampleUser(8))),
    ]
    write('dump.ndjson', Buffer.concat(dump))
    const { code, output } = await run('bash in-step.sh')
    expect([code, output]).toEqual([1, expect.stringContaining('Lines with a fault were left out')])
    expect(output).not.toContain('example.com')
    // User 6 has left. Users 4 and 5 stay as they are.
    expect(read('gone')).toBe(`${userId(1)}\n${userId(6)}\n`)
    const after = [
      sampleUser(1),
      { ...sampleUser(2), is_disabled: true },
      named(3, 'new'),
      ...[4, 5, 6, 8].map(n => sampleUser(n)),
    ]
    expect(await s.items()).toEqual(itemsOf([], after))
  })
})

test.skipIf(isMissing('Taking links away', 'jq', 'bash'))(
  'the lines of the README take a link away for which verify has no repair',
  async () => {
    const s = await sharedScenario()
    await s.put(userItem(sampleUser(1, { saml: 99 })))
    expect((await s.find()).faults).toMatchObject([{ repair: undefined }])
    const [lines = ''] = codeOf('Verify and repair')
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
