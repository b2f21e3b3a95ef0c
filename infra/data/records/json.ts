import { none } from 'stream-chain/defs.js'
import { Assembler } from 'stream-json/core/assembler.js'
import { jsonParser, type Token } from 'stream-json/core/parser.js'
import { shown } from './read.ts'

/** A value at the place of a record in a JSON text. */
export interface JsonRecord {
  /** The line where it begins. */
  line: number
  value: unknown
  /** The maximum number of characters of its text. */
  size: number
}

/** The maximum number of characters of a record's text; an item has at most 400 KB. */
export const sizeMax = 2 * 1024 * 1024
export const tooLong = `the record is longer than ${sizeMax / 1024 / 1024} MB`
const depthMax = 100

/**
 * Reads records from a JSON text that comes in parts.
 *
 * @param depth the number of lists and objects around each record: 1 in an array, 3 in `{"data":{"users":[…]}}`, 0 for
 *   records one after the other
 * @param lengthMax the maximum number of characters of a record
 */
export function jsonRecords(depth: number, lengthMax = sizeMax) {
  const parse = jsonParser({ streamValues: false, jsonStreaming: depth === 0 })
  const assembler = new Assembler()
  /** The names in each open list and object, outermost first. */
  const open: Set<string>[] = []
  let size = 0
  let start = { line: 1, size: 0 }
  const tokensOf = (text: string | typeof none): Token[] => {
    // The parser's type leaves out `none`, which ends the text.
    const tokens = parse(text as string)
    return tokens === none ? [] : tokens.values
  }

  return {
    /**
     * @param text the next part, which ends with its line or before
     * @returns the records that end in it
     * @throws Error when it is not JSON, or a record is too long, too deep or ambiguous
     */
    push(text: string, line: number): JsonRecord[] {
      const begin = { line, size }
      size += text.length
      const records: JsonRecord[] = []
      for (const token of tokensOf(text)) {
        const outerDepth = open.length
        if (outerDepth <= depth) start = begin
        follow(token, open)
        const isScalar = 'value' in token && token.name !== 'keyValue'
        if (Math.max(outerDepth, open.length) <= depth && !(isScalar && outerDepth === depth)) continue
        if (assembler.consume(token).done)
          records.push({ line: start.line, value: assembler.current, size: size - start.size })
      }
      if (size - start.size > lengthMax) throw new Error(tooLong)
      return records
    },
    /** @throws Error when the text must not end here */
    end: () => void tokensOf(none),
  }
}

/**
 * Reads a short text of one JSON value many times faster.
 *
 * @returns undefined when the text is not one value, or is one that `jsonRecords` may refuse
 */
export function unambiguousValue(text: string): unknown {
  if (text.length > shortMax) return undefined
  try {
    const value: unknown = JSON.parse(text)
    // JSON.parse keeps the last one of several members with the same name.
    const colons = text.replaceAll(jsonString, '').split(':').length - 1
    return membersIn(value) === colons ? value : undefined
  } catch {
    return undefined
  }
}

const shortMax = 64 * 1024
const jsonString = /"[^"\\]*(?:\\.[^"\\]*)*"/g

/** The number of members of all objects in a value; NaN when it is nested too deep. */
function membersIn(value: unknown, depth = 1): number {
  if (typeof value !== 'object' || value === null) return 0
  if (depth > depthMax) return Number.NaN
  let members = Array.isArray(value) ? 0 : Object.keys(value).length
  for (const one of Object.values(value)) members += membersIn(one, depth + 1)
  return members
}

/** Follows a token into or out of lists and objects. */
function follow(token: Token, open: Set<string>[]): void {
  if (token.name === 'startObject' || token.name === 'startArray') open.push(new Set())
  if (token.name === 'endObject' || token.name === 'endArray') open.pop()
  if (open.length > depthMax) throw new Error(`a value is nested deeper than ${depthMax} levels`)
  if (token.name !== 'keyValue') return
  if (open.at(-1)?.has(token.value)) throw new Error(`${shown(token.value)} occurs twice in an object`)
  open.at(-1)?.add(token.value)
}
