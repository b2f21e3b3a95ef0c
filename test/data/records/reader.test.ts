import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { jsonRecords, unambiguousValue } from '../../../infra/data/records/json.ts'
import { readerOf } from '../../../infra/data/records/reader.ts'

// Without negative zeros, which JSON does not keep.
const values = fc
  .array(fc.dictionary(fc.string({ unit: 'binary' }), fc.jsonValue({ maxDepth: 2 })), { maxLength: 6 })
  .map(records => JSON.parse(JSON.stringify(records)) as object[])
const cuts = fc.array(fc.nat(), { maxLength: 6 })
const blank = fc.constantFrom('', ' ', '\n', '\r\n\t')

/** The records of a text that comes in chunks; a chunk may end within a character. */
function read(text: string, at: number[] = []) {
  const bytes = Buffer.from(text)
  const places = [0, ...at.map(place => place % (bytes.length + 1)).sort((a, b) => a - b), bytes.length]
  const { push, end } = readerOf('file', bytes)
  const pieces = places.slice(1).flatMap((to, index) => {
    const chunk = Buffer.from(bytes.subarray(places[index], to))
    const found = push(chunk)
    // A stream may use the memory again.
    chunk.fill(0)
    return found
  })
  return [...pieces, ...end()].map(piece =>
    'fault' in piece ? piece : { line: piece.line, value: piece.value },
  )
}

const lineOf = (text: string) => text.split('\n').length

test('lines give the written records, in chunks of any size', () => {
  fc.assert(
    fc.property(values, cuts, fc.constantFrom('\n', '\r\n', '\n\n', '\n \n'), (records, at, end) => {
      const text = records.map(one => JSON.stringify(one) + end).join('')
      const lines = lineOf(end) - 1
      expect(read(text, at)).toEqual(records.map((value, index) => ({ line: index * lines + 1, value })))
    }),
  )
})

test.each([
  ['an array', '[', ',', ']'],
  ['an envelope', '{"data":{"users":[', ',', ']}}'],
  ['an envelope of two lists', ' {"data": {"a{[": [], "users":[', ',', '], "more":[]}}'],
  ['objects one after the other', '{\n"first":1}', '\n', ''],
])('%s gives the written records with their lines', (_, before, between, after) => {
  fc.assert(
    fc.property(values, cuts, blank, fc.constantFrom(undefined, 2), (records, at, space, indent) => {
      let text = before
      const expected = records.map((value, index) => {
        text += index === 0 ? space : `${between}${space}`
        const line = lineOf(text)
        text += JSON.stringify(value, null, indent)
        return { line, value }
      })
      const first = after === '' ? [{ line: 1, value: { first: 1 } }] : []
      expect(read(text + space + after, at)).toEqual([...first, ...expected])
    }),
  )
})

test.each(['{"a":"\ufeffA\ufeff"}', '\ufeff[{"a":"\ufeffA\ufeff"}]'])('a text keeps U+FEFF: %j', text => {
  expect(read(text, [10, 11, 12, 13])).toEqual([{ line: 1, value: { a: '\ufeffA\ufeff' } }])
})

test('a number at the end of a text is read, although nothing ends it', () => {
  expect(read('{\n"a":1}\n25')).toEqual([
    { line: 1, value: { a: 1 } },
    { line: 3, value: 25 },
  ])
})

test('an array that is cut off anywhere before its end is an error with the line', () => {
  fc.assert(
    fc.property(values, fc.nat(), cuts, (records, cut, at) => {
      const text = JSON.stringify(records, null, 1)
      const part = text.slice(0, 1 + (cut % (text.length - 1)))
      expect(() => read(part, at)).toThrow(new RegExp(`^file:${lineOf(part)}: the text is not JSON: `))
    }),
  )
})

test.each<[string, Buffer, RegExp]>([
  [
    'UTF-16',
    Buffer.from('\ufeff{"id":1}', 'utf16le'),
    /^file is not UTF-8\. .+: iconv -f UTF-16 -t UTF-8 FILE > OTHER$/,
  ],
  ['gzip', gzipSync('{"id":1}'), /^file is compressed\. Unpack it: gunzip -c FILE > OTHER$/],
])('a file in %s is named with the remedy', (_, head, sentence) => {
  expect(() => readerOf('file', head)).toThrow(sentence)
})

/** Texts of JSON values in which names may occur twice, and strings have what is JSON outside of them. */
const jsonTexts = fc.letrec<{ text: string }>(tie => ({
  text: fc.oneof(
    { maxDepth: 4, depthIdentifier: 'json' },
    fc.constantFrom(...String.raw`-0 1.50 9007199254740993 1e400 "\ud800:" "\\" "a\":{" 01 nul`.split(' ')),
    fc.array(tie('text'), { maxLength: 3 }).map(all => `[${all.join(', ')}]`),
    fc
      .array(fc.tuple(fc.constantFrom('a', 'b', 'c', '\\u0061', ':'), tie('text')), { maxLength: 3 })
      .map(all => `{${all.map(([name, text]) => `"${name}" : ${text}`).join()}}`),
  ),
})).text

test('what is read fast is what the parser reads, and the parser refuses nothing of it', () => {
  const deep = [100, 101].map(levels => `${'['.repeat(levels)}${']'.repeat(levels)}`)
  fc.assert(
    fc.property(fc.oneof(jsonTexts, fc.constantFrom(...deep, '1 2', '{} {}')), text => {
      const value = unambiguousValue(text)
      if (value === undefined) return
      const { push, end } = jsonRecords(0)
      expect(push(`${text}\n`, 1).map(record => record.value)).toEqual([value])
      end()
    }),
  )
  fc.assert(
    fc.property(values, records => {
      expect(unambiguousValue(JSON.stringify(records))).toEqual(records)
    }),
  )
})
