import {
  flag,
  integer,
  isInt32,
  nullableInt32,
  nullableString,
  nullableTime,
  text,
  texts,
  timestamp,
} from '../../../lib/domain/fields.ts'
import { isoTime } from '../../../lib/domain/iso-time.ts'

/** The form of a field's value in a record, in both dialects. */
interface Form {
  /** The expected form, for messages. */
  expected: string
  /** Whether a value has this form. */
  fits(given: unknown): boolean
  /** Whether the value may be null or absent. */
  mayBeNull?: true
  /** The member of the document's wrapper `{ [member]: value, valid: true }`; Go's is capitalised. */
  member?: string
}

const isText = (given: unknown) => typeof given === 'string' && given.isWellFormed()
const time = {
  expected: 'an ISO 8601 time such as 2026-01-31T09:30:00.000Z',
  fits: (given: unknown) => isoTime(given) !== undefined,
}

export const forms = new Map<object, Form>([
  [text, { expected: 'text', fits: isText }],
  [flag, { expected: 'true or false', fits: given => typeof given === 'boolean' }],
  [integer, { expected: 'a whole number of at most 9007199254740991', fits: Number.isSafeInteger }],
  [timestamp, { ...time, mayBeNull: true }],
  [nullableTime, { ...time, mayBeNull: true, member: 'time' }],
  [nullableInt32, { expected: 'a whole number of 32 bits', fits: isInt32, mayBeNull: true, member: 'int32' }],
  [nullableString, { expected: 'text', fits: isText, mayBeNull: true, member: 'string' }],
  [
    texts,
    {
      expected: 'a list of texts',
      fits: given => Array.isArray(given) && given.every(isText),
      mayBeNull: true,
    },
  ],
])
