import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { copyInto } from '../../../infra/data/records/copy.ts'
import { openSources } from '../../../infra/data/records/source.ts'
import { never, showNothing } from '../scenario.ts'

let folder = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'source-test-'))
  vi.stubEnv('TMPDIR', folder)
})
afterEach(() => {
  vi.unstubAllEnvs()
  rmSync(folder, { recursive: true })
})

/** The path of a named pipe. */
function namedPipe(): string {
  const path = join(folder, 'pipe')
  execFileSync('mkfifo', [path])
  return path
}

const noInput = () => Readable.from([])
const copies = () => readdirSync(folder).filter(name => name.startsWith('records-'))

describe('what can be read only once', () => {
  test.each(['-', '/dev/stdin'])('is copied from standard input, named %s', async file => {
    const { sources, close } = await openSources(
      [file],
      Readable.from(['one\n', 'two\n']),
      showNothing,
      never,
    )
    expect(sources).toEqual([{ name: 'standard input', path: expect.stringContaining(folder), bytes: 8 }])
    expect(readFileSync(sources[0]?.path ?? '', 'utf8')).toBe('one\ntwo\n')
    close()
    expect(copies()).toEqual([])
  })

  test('is copied from a named pipe, with progress, until its writer ends', async () => {
    const path = namedPipe()
    const text = 'x'.repeat(300_000)
    let copied = 0
    const writing = writeFile(path, text)
    const { sources, close } = await openSources(
      [path],
      noInput(),
      (label, _, work) => {
        expect(label).toBe('copying')
        return work(bytes => {
          copied += bytes
        })
      },
      never,
    )
    await writing
    expect(sources).toMatchObject([{ name: path, bytes: text.length }])
    expect(statSync(sources[0]?.path ?? '').isFile()).toBe(true)
    expect(copied).toBe(text.length)
    close()
    expect(copies()).toEqual([])
  })

  test.each(['a named pipe without a writer', 'standard input'])(
    'leaves no copy behind when it is interrupted: %s',
    async name => {
      const interruption = new AbortController()
      const path = name === 'standard input' ? '-' : namedPipe()
      const input = new Readable({ read() {} })
      const opening = openSources([path], input, showNothing, interruption.signal)
      expect(copies()).toHaveLength(1)
      interruption.abort()
      await expect(opening).rejects.toThrow(/abort/)
      expect(copies()).toEqual([])
    },
  )

  test.runIf(existsSync('/dev/full'))('is refused in one sentence when the disk is full', async () => {
    await expect(copyInto('/dev/full', Readable.from(['text']), () => {}, never)).rejects.toThrow(
      /^The input is copied to \/dev first, and the disk is full there: free .+ TMPDIR .+\.$/,
    )
  })

  test('leaves a regular file where it is', async () => {
    const listeners = process.listenerCount('exit')
    const { sources } = await openSources([import.meta.filename], noInput(), showNothing, never)
    expect(sources).toMatchObject([{ name: import.meta.filename, path: import.meta.filename }])
    expect(copies()).toEqual([])
    expect(process.listenerCount('exit')).toBe(listeners)
  })
})
