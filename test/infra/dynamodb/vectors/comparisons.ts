type ComparisonVector = [name: string, stored: unknown, given: unknown, isEqual: boolean]

const deep = { id: 1, list: ['x', { y: null }], flags: new Set(['p', 'q']) }

/** Source: "Comparison operator and function reference" of the DynamoDB Developer Guide. */
export const comparisons: ComparisonVector[] = [
  [
    'maps with equal members in another order',
    deep,
    { flags: new Set(['q', 'p']), list: ['x', { y: null }], id: 1 },
    true,
  ],
  ['maps of which one has a member more', deep, { ...deep, more: '' }, false],
  ['maps with another member', { a: 1 }, { b: 1 }, false],
  ['maps with another value', deep, { ...deep, id: 2 }, false],
  ['maps with a value of another type', deep, { ...deep, id: '1' }, false],
  ['maps with another value inside a list', deep, { ...deep, list: ['x', { y: 'z' }] }, false],
  ['empty maps', {}, {}, true],
  ['an empty map and an empty list', {}, [], false],
  ['lists with equal elements', ['x', [1, deep]], ['x', [1, deep]], true],
  ['lists with equal elements in another order', ['x', 1], [1, 'x'], false],
  ['lists of which one is longer', ['x', 'x'], ['x'], false],
  ['sets with equal elements in another order', new Set([1, 2]), new Set([2, 1]), true],
  ['sets with another element', new Set(['p']), new Set(['q']), false],
  ['a set and a list of the same elements', new Set(['p']), ['p'], false],
  ['a text and a map', '{}', {}, false],
]
