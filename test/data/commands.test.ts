import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, rmSync, watch, writeFileSync } from 'node:fs'
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
    expect(await outcome).toEqual({
      code: 0,
      stdout: [
        ...[file, pipe, 'standard input'].map(name => `${name}: the document's dialect (nullable wrappers)`),
        'providers: 1 written, 0 there already, 0 refused',
        'users: 2 written, 0 there already, 0 refused\n',
      ].join('\n'),
      stderr: '',
    })
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
    expect(stderr).toMatch(new RegExp(`^${file}:4: the text is not JSON [^\n]+\n$`))
    expect(stdout).toContain('unreadable records: 1')
    expect(await s.items()).toEqual(itemsOf([provider], users))
  })

  test.each([
    ['--strict', 1, 'Nothing was written.'],
    ['--dry-run', 1, 'users: 2 to be written'],
  ])('writes nothing with %s', async (option, code, sentence) => {
    const s = await scenario()
    const outcome = await dataHere('import', option, '--table', s.tableName, fileOf(invalid))
    expect(outcome).toMatchObject({ code, stdout: expect.stringContaining(sentence) })
    expect(await s.items()).toEqual([])
  })

  test('prints one JSON object per line with --json', async () => {
    const s = await scenario()
    const file = fileOf(invalid)
    const { stdout, stderr } = await dataHere('import', '--json', '--table', s.tableName, file)
    const [refusal, counts] = stdout
      .trim()
      .split('\n')
      .map(line => JSON.parse(line))
    expect(refusal).toEqual({ place: `${file}:4`, fault: expect.stringContaining('not JSON') })
    expect(counts).toEqual({
      providers: { written: 1, there: 0, refused: 0 },
      users: { written: 2, there: 0, refused: 0 },
      others: { written: 0, there: 0, refused: 1 },
      written: true,
    })
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
