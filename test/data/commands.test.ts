import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync, statSync, watch } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { User } from '../../lib/domain/resources.ts'
import { sampleProvider, sampleUser, userId } from '../support/samples.ts'
import { namedPipe, temporaryFile } from '../support/temporary-folder.ts'
import { dataHere, runData } from './command-process.ts'
import { itemsOf, ndjson, scenario } from './scenario.ts'

const provider = sampleProvider(7)
const users: [User, User] = [sampleUser(1, { saml: 7 }), sampleUser(2)]
const invalid = `${ndjson(provider, ...users)}nonsense\n`
const linesOf = (text: string) => text.trimEnd().split('\n')
const valuesOf = (text: string) => linesOf(text).map(line => JSON.parse(line))

describe('npm run data -- import', () => {
  test('reads files, named pipes and standard input, each once, and prints what it did', async () => {
    const s = await scenario()
    const files = [temporaryFile(ndjson(provider)), namedPipe(), '/dev/stdin']
    const [one, two] = users
    const { outcome } = runData(['import', '--table', s.tableName, ...files], { input: ndjson(two) })
    await writeFile(files[1] as string, ndjson(one))
    const { stdout, ...ended } = await outcome
    expect(ended).toEqual({ code: 0, stderr: '' })
    expect(linesOf(stdout)).toEqual([
      ...[...files.slice(0, 2), 'standard input'].map(
        name => `${name}: the document's dialect (nullable wrappers)`,
      ),
      'providers: 1 read, 1 written',
      'users: 2 read, 2 written',
      '  of the provider 7: 1 read, 1 written',
      expect.stringMatching(/^It took \d+\.\d s\.$/),
    ])
    expect(await s.items()).toEqual(itemsOf([provider], users))
  })

  test('leaves no file behind when it is interrupted while it reads a pipe', async () => {
    const s = await scenario()
    const pipe = namedPipe()
    const TMPDIR = dirname(pipe)
    const before = readdirSync(TMPDIR)
    const watcher = watch(TMPDIR)
    onTestFinished(() => watcher.close())
    const started = once(watcher, 'change')
    const { child, outcome } = runData(['import', '--table', s.tableName, pipe], { env: { TMPDIR } })
    await started
    child.kill('SIGINT')
    const stderr = 'Interrupted. Run the same command again.\n'
    expect(await outcome).toEqual({ code: 130, stdout: '', stderr })
    expect(readdirSync(TMPDIR)).toEqual(before)
  })

  test('writes the valid records, names the invalid ones, and exits with 1', async () => {
    const s = await scenario()
    const file = temporaryFile(invalid)
    const { code, stderr, stdout } = await dataHere('import', '--table', s.tableName, file)
    expect(code).toBe(1)
    expect(stderr).toMatch(new RegExp(`^${file}:4: the text is not JSON: [^\n]+\n$`))
    expect(stdout).toContain('unreadable records: 1')
    expect(await s.items()).toEqual(itemsOf([provider], users))
  })

  test.each([
    ['--strict', 1, 'Nothing was written.'],
    ['--dry-run', 1, 'users: 2 read, 2 to be written'],
  ])('writes nothing with %s', async (option, code, sentence) => {
    const s = await scenario()
    const outcome = await dataHere('import', option, '--table', s.tableName, temporaryFile(invalid))
    expect(outcome).toMatchObject({ code, stdout: expect.stringContaining(sentence) })
    expect(await s.items()).toEqual([])
  })

  test('writes the refused records to a file, which is imported when it is mended', async () => {
    const s = await scenario()
    const [one, two] = users
    await s.put(...itemsOf([provider], [one]))
    const differing = { ...one, principal_name: 'new' }
    const file = temporaryFile(`${ndjson(differing, { ...two, id: 'x', shoe_size: 43 })}nonsense\n`)
    const refused = `${file}.refused`
    const args = ['import', '--table', s.tableName, '--refused', refused]
    expect(await dataHere(...args, file)).toMatchObject({ code: 1 })
    const kept = readFileSync(refused, 'utf8')
    expect(valuesOf(kept)).toEqual([
      {
        place: `${file}:2`,
        fault: expect.stringContaining('UUID'),
        record: { ...two, id: 'x', shoe_size: 43 },
      },
      { place: `${file}:3`, fault: expect.stringContaining('not JSON'), record: { text: 'nonsense' } },
      { place: `${file}:1`, fault: 'the table differs in principal_name', record: differing },
    ])
    expect(statSync(refused).mode & 0o777).toBe(0o600)

    const mended = temporaryFile(kept.replace('"id":"x"', `"id":"${two.id}"`).replace(/^.*nonsense.*\n/m, ''))
    const again = await dataHere('import', '--table', s.tableName, '--update', mended)
    expect(again).toMatchObject({ code: 0 })
    expect(await s.items()).toEqual(itemsOf([provider], [differing, two]))
  })

  test('overwrites no file with the refused records, and leaves none without records', async () => {
    const args = ['import', '--table', 'no-such-table', temporaryFile(ndjson(...users)), '--refused']
    const mended = temporaryFile('half mended')
    expect(await dataHere(...args, mended)).toMatchObject({
      code: 1,
      stderr: `${mended} exists and may have records to mend: name another file for --refused.\n`,
    })
    expect(readFileSync(mended, 'utf8')).toBe('half mended')
    expect(await dataHere(...args, `${mended}.2`)).toMatchObject({ code: 1 })
    expect(existsSync(`${mended}.2`)).toBe(false)
  })

  test('prints one JSON object per line with --json', async () => {
    const s = await scenario()
    const other = { ...sampleUser(3), is_disabled: 1, shoe_size: 43, last_name: null }
    const file = temporaryFile(ndjson(other) + invalid)
    const { stdout, stderr } = await dataHere('import', '--json', '--table', s.tableName, file)
    const refused = { event: 'record', outcome: 'refused' }
    const none = { there: 0, updated: 0, differs: 0, refused: 0 }
    const one = { ...none, read: 1, written: 1 }
    expect(valuesOf(stdout)).toEqual([
      { ...refused, place: `${file}:1`, reason: 'is_disabled must be true or false, and is 1' },
      { ...refused, place: `${file}:5`, reason: expect.stringContaining('not JSON') },
      { event: 'file', name: file, dialects: ['document', 'plain'], leftOut: ['shoe_size'], changed: [] },
      { event: 'provider', provider: 7, users: one },
      {
        ...{ event: 'end', providers: one, users: { ...none, read: 2, written: 2 }, unreadable: 2 },
        seconds: expect.any(Number),
      },
    ])
    expect(stderr).toBe('')
  })

  test.each<[string, string, RegExp]>([
    ['a missing file', '/there/is/none', /^\/there\/is\/none cannot be used: it does not exist/],
    ['a folder', tmpdir(), /cannot be used: it is a folder/],
  ])('reports in one sentence %s', async (_, file, sentence) => {
    const { code, stderr } = await dataHere('import', '--table', 'any', file)
    expect(code).toBe(1)
    expect(stderr).toMatch(sentence)
    expect(stderr).toMatch(/^[^\n]+\n$/)
  })
})

describe('npm run data -- export', () => {
  test('prints what import reads, and names the omitted providers', async () => {
    const s = await scenario()
    const [removed, ...rest] = itemsOf([sampleProvider(8)], [])
    await s.put(...itemsOf([provider], users), { ...removed, state: 'removed' }, ...rest)
    const { code, stdout, stderr } = await dataHere('export', '--table', s.tableName, '--format', 'json')
    expect(code).toBe(0)
    expect(stderr).toBe('Left out, because they are being removed or were removed: the providers 8.\n')
    const { data } = JSON.parse(stdout)
    expect(data.saml_providers).toEqual([provider])
    expect(data.users.toSorted((a: { id: string }) => (a.id === userId(1) ? -1 : 1))).toEqual(users)
  })
})
