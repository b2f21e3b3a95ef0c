import { utimesSync, writeFileSync } from 'node:fs'
import { Readable } from 'node:stream'
import { describe, expect, test } from 'vitest'
import { openInput } from '../../../infra/data/records/input.ts'
import { findSources, type Source } from '../../../infra/data/records/source.ts'
import { userItem } from '../../../infra/data/table/items.ts'
import { sampleUsers } from '../../support/samples.ts'
import { namedPipe, temporaryFile } from '../../support/machine.ts'
import { ndjson, never } from '../scenario.ts'

const users = sampleUsers(100)

async function read(sources: Source[], signal = never) {
  using input = await openInput(sources, signal)
  const once = (await Array.fromAsync(input.entries())).flat()
  // A pipe, too, can be read again.
  expect((await Array.fromAsync(input.entries())).flat()).toEqual(once)
  return once
}
const itemsIn = async (...args: Parameters<typeof read>) =>
  (await read(...args)).map(entry => ('item' in entry ? entry.item : entry.faults))

describe('a source', () => {
  test('gives the same records when a pipe gives its bytes one by one', async () => {
    const few = users.slice(0, 6)
    const bytes = Array.from(Buffer.from(`\ufeff${ndjson(...few)}`), byte => Buffer.from([byte]))
    expect(await itemsIn(findSources(['-'], Readable.from(bytes)))).toEqual(few.map(userItem))
  })

  test('gives each record the number of its line', async () => {
    const text = `\n${ndjson(users[0])}\r\n  \n${ndjson(users[1]).trim()}`
    const sources = findSources([temporaryFile(ndjson(users[2])), '-'], Readable.from([Buffer.from(text)]))
    expect((await read(sources)).map(({ place }) => place.replace(/.*\//, '').replace(/^.*:/, ''))).toEqual([
      '1',
      '2',
      '5',
    ])
  })

  test('is named when it has no record', async () => {
    const sources = findSources([temporaryFile(ndjson(users[0])), temporaryFile('\n \n')])
    await expect(read(sources)).rejects.toThrow(`There is no record in ${sources[1]?.name}.`)
    const empty = findSources(['-'], Readable.from([Buffer.alloc(0)]))
    await expect(read(empty)).rejects.toThrow('There is no record in standard input.')
  })

  test('that changes while it is read ends the import', async () => {
    const path = temporaryFile(ndjson(users[0]))
    using input = await openInput(findSources([path]), never)
    await Array.fromAsync(input.entries())
    // Of the same size.
    writeFileSync(path, ndjson(users[1]))
    utimesSync(path, 1, 1)
    await expect(Array.fromAsync(input.entries())).rejects.toThrow(`${path} has changed while it was read`)
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
