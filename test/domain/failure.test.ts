import { expect, test } from 'vitest'
import { Failure, reasonOf } from '../../lib/domain/failure.ts'

const refused = Object.assign(new AggregateError([]), { code: 'ECONNREFUSED' })

test.each([
  ['its message', new Error('down'), 'down'],
  [
    'the message of its innermost cause',
    new Failure('table_busy', {}, new Error('a', { cause: new Error('b') })),
    'b',
  ],
  ['its code when it has no message', new Failure('issuer_unavailable', {}, refused), 'ECONNREFUSED'],
  ['its name when it has neither', new TypeError(), 'TypeError'],
  ['the value that was thrown when it is not an Error', 'down', 'down'],
])('the reason of an error is %s', (_, error, reason) => {
  expect(reasonOf(error)).toBe(reason)
})
