import fc from 'fast-check'
import { expect, test } from 'vitest'
import { lineSplitter } from '../../../infra/data/records/split-lines.ts'
import { nestedSplitter } from '../../../infra/data/records/split-nested.ts'
import type { Splitter } from '../../../infra/data/records/splitter.ts'

const record = fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 2 }))
// Without negative zeros, which JSON does not keep.
const records = fc
  .array(record, { maxLength: 6 })
  .map(values => JSON.parse(JSON.stringify(values)) as object[])
const cuts = fc.array(fc.nat(), { maxLength: 6 })
const blank = fc.constantFrom('', ' ', '\n', '\r\n\t')

/** The pieces of the text, which is pushed in parts; a part may end within a character. */
function split(splitter: Splitter, text: string, at: number[]) {
  const bytes = Buffer.from(text)
  const places = [0, ...at.map(place => place % (bytes.length + 1)).sort((a, b) => a - b), bytes.length]
  const pieces = places
    .slice(1)
    // The memory of each part is overwritten after the push.
    .flatMap((end, index) => {
      const part = Buffer.from(bytes.subarray(places[index], end))
      const found = splitter.push(part).map(piece => structured(piece))
      part.fill(0)
      return found
    })
  return [...pieces, ...splitter.end().map(structured)]
}

const structured = (piece: ReturnType<Splitter['end']>[number]) =>
  'bytes' in piece ? { line: piece.line, value: JSON.parse(String(piece.bytes)) } : piece

const lineOf = (text: string) => text.split('\n').length

test('lines give the written records, in parts of any size', () => {
  fc.assert(
    fc.property(records, cuts, fc.constantFrom('\n', '\r\n', '\n\n'), (values, at, end) => {
      const text = values.map(one => JSON.stringify(one) + end).join('')
      const lines = end === '\n\n' ? 2 : 1
      expect(split(lineSplitter(), text, at)).toEqual(
        values.map((value, index) => ({ line: index * lines + 1, value })),
      )
    }),
  )
})

test.each([
  ['an array', 1, '[', ',', ']'],
  ['an envelope', 3, '{"data":{"users":[', ',', ']}}'],
  ['an envelope of two lists', 3, '{"data": {"a{[": [], "users":[', ',', '], "more":[]}}'],
  ['objects one after the other', 0, '', '\n', ''],
])('%s gives the written records with their lines', (_, depth, before, between, after) => {
  fc.assert(
    fc.property(records, cuts, blank, fc.constantFrom(undefined, 2), (values, at, space, indent) => {
      let text = before
      const expected = values.map((value, index) => {
        text += index === 0 ? space : `${between}${space}`
        const line = lineOf(text)
        text += JSON.stringify(value, null, indent)
        return { line, value }
      })
      expect(split(nestedSplitter(depth), text + space + after, at)).toEqual(expected)
    }),
  )
})

test('a text that is cut off anywhere before its end is reported as cut off', () => {
  fc.assert(
    fc.property(records, fc.nat(), (values, at) => {
      const text = JSON.stringify(values)
      const part = text.slice(0, at % text.length)
      const pieces = split(nestedSplitter(1), part, [])
      expect(pieces.at(-1)).toEqual({ line: 1, problem: 'the file ends inside a record; it may be cut off' })
    }),
  )
})
