import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { findSources, readEntries } from '../../../infra/data/records/source.ts'
import { sampleUser } from '../../support/samples.ts'
import { ndjson, never } from '../scenario.ts'

let folder = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'source-test-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

/** The path of a named pipe. */
function namedPipe(): string {
  const path = join(folder, 'pipe')
  execFileSync('mkfifo', [path])
  return path
}

const users = Array.from({ length: 100 }, (_, n) => sampleUser(n))

/** The resources of a source, and the number of bytes read. */
async function read(file: string, stdin?: Readable, signal = never) {
  const [source] = findSources([file], stdin)
  let bytes = 0
  if (source === undefined) throw new Error('no source')
  const entries = await Array.fromAsync(readEntries([source], by => (bytes += by), signal))
  return {
    source,
    bytes,
    entries: entries.flat(),
    resources: entries.flat().map(({ record }) => record?.resource),
  }
}

describe('a source', () => {
  test('is a file, whose size is known', async () => {
    const path = join(folder, 'users')
    writeFileSync(path, ndjson(...users))
    const { source, resources, bytes } = await read(path)
    expect([source.bytes, resources]).toEqual([bytes, users])
  })

  const few = users.slice(0, 6)
  test.each([
    ['lines', ndjson(...few)],
    ['an array', `\ufeff${JSON.stringify(few)}`],
    ['an envelope', JSON.stringify({ data: { users: few } })],
    ['indented objects', few.map(user => JSON.stringify(user, null, 2)).join('\n')],
  ])('gives the same records when a pipe gives its bytes one by one: %s', async (_, text) => {
    const bytes = Array.from(Buffer.from(text), byte => Buffer.from([byte]))
    expect((await read('-', Readable.from(bytes))).resources).toEqual(few)
  })

  test('gives each record as it was read, beside its faults', async () => {
    const partial = { id: users[0]?.id, last_login: null }
    const { entries } = await read('-', Readable.from([Buffer.from(`${ndjson(partial)}{"id":\n`)]))
    expect(entries.map(({ place, given }) => [place, given])).toEqual([
      ['standard input:1', partial],
      ['standard input:2', { text: '{"id":' }],
    ])
  })

  test('is named when there is no record in any', async () => {
    for (const text of ['', '\n \n', '[]', '{"data":{"saml_providers":[]}}'])
      await expect(read('-', Readable.from([Buffer.from(text)]))).rejects.toThrow(
        'There is no record in standard input.',
      )
  })

  test('may be a mended file of refused records', async () => {
    const [first, second] = users
    const refused = { place: 'users:7', fault: 'is_disabled is missing' }
    const lines = ndjson({ ...refused, record: first }, { ...refused, record: { ...second, id: 2 } })
    const { entries } = await read('-', Readable.from([Buffer.from(lines)]))
    expect(entries).toMatchObject([
      { place: 'standard input:1', given: first, record: { resource: first }, faults: [] },
      { place: 'standard input:2', given: { ...second, id: 2 }, faults: ['id must be text, and is 2'] },
    ])
  })

  test.each(['a named pipe without a writer', 'standard input'])(
    'can be interrupted while it waits: %s',
    async name => {
      const interruption = new AbortController()
      const path = name === 'standard input' ? '-' : namedPipe()
      const reading = read(path, new Readable({ read() {} }), interruption.signal)
      interruption.abort()
      await expect(reading).rejects.toThrow(/abort/)
    },
  )
})
