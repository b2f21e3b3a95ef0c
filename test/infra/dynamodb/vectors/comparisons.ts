/** A comparison of a stored value with a given one. */
interface ComparisonVector {
  name: string
  stored: unknown
  given: unknown
  isEqual: boolean
}

const deep = { id: 1, list: ['x', { y: null }], flags: new Set(['p', 'q']) }

/** Source: "Comparison operator and function reference" of the DynamoDB Developer Guide. */
export const comparisons: ComparisonVector[] = [
  {
    name: 'maps with equal members in another order',
    stored: deep,
    given: { flags: new Set(['q', 'p']), list: ['x', { y: null }], id: 1 },
    isEqual: true,
  },
  { name: 'maps of which one has a member more', stored: deep, given: { ...deep, more: '' }, isEqual: false },
  { name: 'maps with another member', stored: { a: 1 }, given: { b: 1 }, isEqual: false },
  { name: 'maps with another value', stored: deep, given: { ...deep, id: 2 }, isEqual: false },
  { name: 'maps with a value of another type', stored: deep, given: { ...deep, id: '1' }, isEqual: false },
  {
    name: 'maps with another value inside a list',
    stored: deep,
    given: { ...deep, list: ['x', { y: 'z' }] },
    isEqual: false,
  },
  { name: 'empty maps', stored: {}, given: {}, isEqual: true },
  { name: 'an empty map and an empty list', stored: {}, given: [], isEqual: false },
  { name: 'lists with equal elements', stored: ['x', [1, deep]], given: ['x', [1, deep]], isEqual: true },
  { name: 'lists with equal elements in another order', stored: ['x', 1], given: [1, 'x'], isEqual: false },
  { name: 'lists of which one is longer', stored: ['x', 'x'], given: ['x'], isEqual: false },
  {
    name: 'sets with equal elements in another order',
    stored: new Set([1, 2]),
    given: new Set([2, 1]),
    isEqual: true,
  },
  { name: 'sets with another element', stored: new Set(['p']), given: new Set(['q']), isEqual: false },
  { name: 'a set and a list of the same elements', stored: new Set(['p']), given: ['p'], isEqual: false },
  { name: 'a text and a map', stored: '{}', given: {}, isEqual: false },
]
