import { Readable } from 'node:stream'
import { describe, expect, test } from 'vitest'
import { findSources, readEntries, type Source } from '../../../infra/data/records/source.ts'
import { sampleUser } from '../../support/samples.ts'
import { namedPipe, temporaryFile } from '../../support/temporary-folder.ts'
import { ndjson, never } from '../scenario.ts'

const users = Array.from({ length: 100 }, (_, n) => sampleUser(n))

/** The resources of a source, and the number of bytes read. */
async function read([source]: Source[], signal = never) {
  let bytes = 0
  const entries = await Array.fromAsync(readEntries([source as Source], by => (bytes += by), signal))
  return { bytes, resources: entries.flat().map(({ record }) => record?.resource) }
}

describe('a source', () => {
  test('is a file, whose size is known', async () => {
    const sources = findSources([temporaryFile(ndjson(...users))])
    const { resources, bytes } = await read(sources)
    expect([sources[0]?.bytes, resources]).toEqual([bytes, users])
  })

  test('gives the same records when a pipe gives its bytes one by one', async () => {
    const few = users.slice(0, 6)
    const bytes = Array.from(Buffer.from(`\ufeff${JSON.stringify(few)}`), byte => Buffer.from([byte]))
    expect((await read(findSources(['-'], Readable.from(bytes)))).resources).toEqual(few)
  })

  test('is named when there is no record in any', async () => {
    for (const text of ['', '\n \n', '[]', '{"data":{"saml_providers":[]}}'])
      await expect(read(findSources(['-'], Readable.from([Buffer.from(text)])))).rejects.toThrow(
        'There is no record in standard input.',
      )
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
