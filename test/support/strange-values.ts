import { NumberValue } from '@aws-sdk/lib-dynamodb'

const bytes = new Uint8Array([1, 2])

/** A stored value of every type of DynamoDB, and of each the ones at the edges; none is a time in seconds. */
export const strangeValues: [name: string, value: unknown][] = [
  ['an empty text', ''],
  ['a text', 'x'],
  ['a number as a text', '1893456000'],
  ['zero', 0],
  ['a negative number', -1],
  ['a fraction', 1.5],
  ['a number that JavaScript rounds', new NumberValue('9007199254740993.5')],
  ['an integer that JavaScript rounds', new NumberValue('9007199254740993')],
  ['the greatest number', new NumberValue('9'.repeat(38) + '0'.repeat(88))],
  ['true', true],
  ['false', false],
  ['null', null],
  ['bytes', bytes],
  ['a set of texts', new Set(['b', 'a'])],
  ['a set of numbers', new Set([2, 1])],
  ['a set of rounded numbers', new Set([new NumberValue('9007199254740993'), new NumberValue('1.5')])],
  ['a set of bytes', new Set([bytes])],
  ['an empty list', []],
  ['a list', ['a', 1, [null]]],
  ['an empty map', {}],
  ['a map', { seconds: 1_893_456_000, deep: { er: new Set([1]) } }],
]
