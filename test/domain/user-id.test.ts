import { expect, test } from 'vitest'
import { isUserId } from '../../lib/domain/user-id.ts'

const id = '5a3d1c9e-7b42-4f06-9d18-c0ffee000002'

test.each([
  [id, true],
  [id.toUpperCase(), false],
  [`0${id}`, false],
  [`${id}0`, false],
  [`${id}\n`, false],
  [id.replaceAll('-', ''), false],
  [id.replace('5', 'g'), false],
])('%j is the id of a user: %s', (text, expected) => expect(isUserId(text)).toBe(expected))
