import { expect, test } from 'vitest'
import { waitSeconds } from '../../lib/http/prefer.ts'

const vectors: { lines: string[]; wait: number | undefined; law: string }[] = [
  { law: 'no header is no wait', lines: [], wait: undefined },
  { law: 'leading zeros are allowed', lines: ['wait=007'], wait: 7 },
  { law: 'the name is case-insensitive', lines: ['WaIt=3'], wait: 3 },
  { law: 'tabs around = are allowed', lines: ['\twait\t=\t4\t'], wait: 4 },
  { law: 'a quoted value may be escaped', lines: ['wait="\\5"'], wait: 5 },
  { law: 'parameters are skipped', lines: ['wait=6; foo=bar; q="a,b;c"'], wait: 6 },
  { law: 'empty members are skipped', lines: [',, wait=12.125 ,'], wait: 12.125 },
  { law: 'several lines are one list', lines: ['respond-async', 'wait=9'], wait: 9 },
  { law: 'the first wait counts over lines', lines: ['wait=1', 'wait=2'], wait: 1 },
  { law: 'an invalid first wait counts as the first', lines: ['wait=x, wait=2'], wait: undefined },
  { law: 'a comma inside quotes does not separate', lines: ['foo="a, wait=1", wait=2'], wait: 2 },
  { law: 'a semicolon inside quotes does not separate', lines: ['foo="a; b"; c, wait=2'], wait: 2 },
  { law: 'an escaped quote does not end the quoted value', lines: ['foo="\\", wait=1", wait=2'], wait: 2 },
  { law: 'a parameter wait is not a preference', lines: ['foo; wait=3'], wait: undefined },
  { law: 'a longer name is another name', lines: ['waiting=3'], wait: undefined },
  { law: 'a wait without a value counts as the first', lines: ['wait, wait=2'], wait: undefined },
  { law: 'a name begins its preference', lines: ['=wait=5'], wait: undefined },
  { law: 'a sign is invalid', lines: ['wait=-1'], wait: undefined },
  { law: 'an exponent is invalid', lines: ['wait=1e3'], wait: undefined },
  { law: 'a fraction without an integer part is invalid', lines: ['wait=.5'], wait: undefined },
  { law: 'a point without a fraction is invalid', lines: ['wait=5.'], wait: undefined },
  { law: 'two numbers are invalid', lines: ['wait=5 6'], wait: undefined },
  { law: 'an unclosed quote is invalid', lines: ['wait="5'], wait: undefined },
  { law: 'a quote after the value is invalid', lines: ['wait=5"'], wait: undefined },
]

test.each(vectors)('Prefer: wait (RFC 7240): $law: $lines', ({ lines, wait }) =>
  expect(waitSeconds(lines)).toBe(wait),
)
