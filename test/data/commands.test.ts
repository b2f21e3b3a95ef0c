import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, watch, writeFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { sampleProvider, sampleUser, userId } from '../support/samples.ts'
import { dataHere, runData } from './command-process.ts'
import { itemsOf, ndjson, scenario } from './scenario.ts'

const provider = sampleProvider(7)
const users = [sampleUser(1, { saml: 7 }), sampleUser(2)]
const valid = ndjson(provider, ...users)
const invalid = `${valid}nonsense\n`

function fileOf(text: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'records-test-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  writeFileSync(join(folder, 'users.ndjson'), text)
  return join(folder, 'users.ndjson')
}

describe('npm run data -- import', () => {
  test('reads files, named pipes and standard input, each once, and prints what it did', async () => {
    const s = await scenario()
    const file = fileOf(ndjson(provider))
    const pipe = `${file}-pipe`
    execFileSync('mkfifo', [pipe])
    const [one, ...others] = users
    const args = ['import', '--table', s.tableName, file, pipe, '/dev/stdin']
    const { outcome } = runData(args, { input: ndjson(...others) })
    await writeFile(pipe, ndjson(one))
    const { stdout, ...ended } = await outcome
    expect(ended).toEqual({ code: 0, stderr: '' })
    expect(stdout.split('\n')).toEqual([
      ...[file, pipe, 'standard input'].map(name => `${name}: the document's dialect (nullable wrappers)`),
      'providers: 1 read, 1 written',
      'users: 2 read, 2 written',
      '  of the provider 7: 1 read, 1 written',
      expect.stringMatching(/^It took \d+\.\d s\.$/),
      '',
    ])
    expect(await s.items()).toEqual(itemsOf([provider], users))
  })

  test('leaves no file behind when it is interrupted while it reads a pipe', async () => {
    const s = await scenario()
    const file = fileOf('')
    const pipe = `${file}-pipe`
    execFileSync('mkfifo', [pipe])
    const TMPDIR = dirname(file)
    const before = readdirSync(TMPDIR)
    const watcher = watch(TMPDIR)
    onTestFinished(() => watcher.close())
    const started = once(watcher, 'change')
    const { child, outcome } = runData(['import', '--table', s.tableName, pipe], { env: { TMPDIR } })
    await started
    child.kill('SIGINT')
    expect(await outcome).toEqual({
      code: 130,
      stdout: '',
      stderr: 'Interrupted. Run the same command again to continue.\n',
    })
    expect(readdirSync(TMPDIR)).toEqual(before)
  })

  test('writes the valid records, names the invalid ones, and exits with 1', async () => {
    const s = await scenario()
    const file = fileOf(invalid)
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
    const outcome = await dataHere('import', option, '--table', s.tableName, fileOf(invalid))
    expect(outcome).toMatchObject({ code, stdout: expect.stringContaining(sentence) })
    expect(await s.items()).toEqual([])
  })

  test('writes the refused records to a file, which is imported when it is mended', async () => {
    const s = await scenario()
    const [one, two] = users as [(typeof users)[0], (typeof users)[0]]
    await s.put(...itemsOf([provider], [one]))
    const differing = { ...one, principal_name: 'new' }
    const file = fileOf(`${ndjson(differing, { ...two, id: 'x', shoe_size: 43 })}nonsense\n`)
    const refused = `${file}.refused`
    const args = ['import', '--table', s.tableName, '--refused', refused]
    expect(await dataHere(...args, file)).toMatchObject({ code: 1 })
    const kept = readFileSync(refused, 'utf8')
    expect(
      kept
        .trim()
        .split('\n')
        .map(line => JSON.parse(line)),
    ).toEqual([
      {
        place: `${file}:2`,
        fault: expect.stringContaining('UUID'),
        record: { ...two, id: 'x', shoe_size: 43 },
      },
      { place: `${file}:3`, fault: expect.stringContaining('not JSON'), record: { text: 'nonsense' } },
      { place: `${file}:1`, fault: 'the table differs in principal_name', record: differing },
    ])
    expect(statSync(refused).mode & 0o777).toBe(0o600)

    const both = await dataHere(...args, file, refused)
    expect(both).toMatchObject({
      code: 1,
      stderr: `${refused} is one of the files to import: name another one.\n`,
    })
    const mended = kept.replace('"id":"x"', `"id":"${two.id}"`).replace(/^.*nonsense.*\n/m, '')
    expect(await dataHere('import', '--table', s.tableName, '--update', fileOf(mended))).toMatchObject({
      code: 0,
    })
    expect(await s.items()).toEqual(itemsOf([provider], [differing, two]))
  })

  test('prints one JSON object per line with --json', async () => {
    const s = await scenario()
    const file = fileOf(invalid)
    const { stdout, stderr } = await dataHere('import', '--json', '--table', s.tableName, file)
    const none = { there: 0, updated: 0, differs: 0, refused: 0 }
    expect(
      stdout
        .trim()
        .split('\n')
        .map(line => JSON.parse(line)),
    ).toEqual([
      {
        event: 'record',
        place: `${file}:4`,
        outcome: 'refused',
        reason: expect.stringContaining('not JSON'),
      },
      { event: 'file', name: file, dialects: ['document'], leftOut: [], changed: [] },
      { event: 'provider', provider: 7, users: { ...none, read: 1, written: 1 } },
      {
        event: 'end',
        providers: { ...none, read: 1, written: 1 },
        users: { ...none, read: 2, written: 2 },
        unreadable: 1,
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

  test.each([
    ['import', [], "missing required argument 'FILE'"],
    ['export', ['--dialect', 'latin'], "argument 'latin' is invalid. Allowed choices are document, plain."],
    ['export', ['--format', 'csv'], "argument 'csv' is invalid. Allowed choices are ndjson, json."],
  ])('%s refuses %j', async (command, options, fault) => {
    const { code, stdout, stderr } = await dataHere(command, '--table', 'any', ...options)
    expect([code, stdout]).toEqual([1, ''])
    expect(stderr.split('\n', 1)[0]).toContain(fault)
  })
})
