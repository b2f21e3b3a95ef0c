import { Readable } from 'node:stream'
import { describe, expect, test } from 'vitest'
import { findSources, readEntries, type Source } from '../../../infra/data/records/source.ts'
import { sampleUsers } from '../../support/samples.ts'
import { namedPipe, temporaryFile } from '../../support/temporary-folder.ts'
import { ndjson, never } from '../scenario.ts'

const users = sampleUsers(100)

/** The resources of a source. */
async function read(sources: Source[], signal = never) {
  const entries = (await Array.fromAsync(readEntries(sources, signal))).flat()
  return entries.map(({ record }) => record?.resource)
}

describe('a source', () => {
  test('gives the same records when a pipe gives its bytes one by one', async () => {
    const few = users.slice(0, 6)
    const bytes = Array.from(Buffer.from(`\ufeff${ndjson(...few)}`), byte => Buffer.from([byte]))
    expect(await read(findSources(['-'], Readable.from(bytes)))).toEqual(few)
  })

  test('gives each record the number of its line, blank ones and those of another pipe counted apart', async () => {
    const text = `\n${ndjson(users[0])}\r\n  \n${ndjson(users[1]).trim()}`
    const sources = findSources([temporaryFile(ndjson(users[2])), '-'], Readable.from([Buffer.from(text)]))
    const entries = (await Array.fromAsync(readEntries(sources, never))).flat()
    expect(entries.map(({ place }) => place.replace(/.*\//, '').replace(/^.*:/, ''))).toEqual(['1', '2', '5'])
  })

  test('is named when it has no record, also beside one that has', async () => {
    const sources = findSources([temporaryFile(ndjson(users[0])), temporaryFile('\n \n')])
    await expect(read(sources)).rejects.toThrow(`There is no record in ${sources[1]?.name}.`)
    const empty = findSources(['-'], Readable.from([Buffer.alloc(0)]))
    await expect(read(empty)).rejects.toThrow('There is no record in standard input.')
  })

  test.each(['a named pipe without a writer', 'standard input'])(
    'can be interrupted while it waits: %s',
    async name => {
      const interruption = new AbortController()
      const path = name === 'standard input' ? '-' : namedPipe()
      const reading = read(findSources([path], new Readable({ read() {} })), interruption.signal)
      interruption.abort()
      await expect(reading).rejects.toThrow(/abort/)
    },
  )
})
