import { NumberValue } from '@aws-sdk/lib-dynamodb'

const bytes = new Uint8Array([1, 2])

/** Stored values of every DynamoDB type, with the boundary cases of each; none is a time in seconds. */
export const boundaryValues: [name: string, value: unknown][] = [
  ['an empty string', ''],
  ['a string', 'x'],
  ['a number as a string', '1893456000'],
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
  ['a set of strings', new Set(['b', 'a'])],
  ['a set of numbers', new Set([2, 1])],
  ['a set of rounded numbers', new Set([new NumberValue('9007199254740993'), new NumberValue('1.5')])],
  ['a set of bytes', new Set([bytes])],
  ['an empty list', []],
  ['a list', ['a', 1, [null]]],
  ['an empty map', {}],
  ['a map', { seconds: 1_893_456_000, nested: { set: new Set([1]) } }],
  ['a map with a member toString', { toString: 'x' }],
]
