import { expect, test } from 'vitest'
import { invalidity } from '../../infra/data/transact.ts'

const tooLarge = 'Item size to update has exceeded the maximum allowed size'

test.each([
  [{ name: 'ValidationException', message: tooLarge }, tooLarge],
  [
    {
      name: 'TransactionCanceledException',
      message: 'cancelled',
      CancellationReasons: [{ Code: 'None' }, { Code: 'ValidationError', Message: tooLarge }],
    },
    tooLarge,
  ],
  [{ name: 'TransactionCanceledException', CancellationReasons: [{ Code: 'AccessDenied' }] }, undefined],
  [{ name: 'AccessDeniedException', message: 'no' }, undefined],
])('a transaction that DynamoDB does not take, and why: %j', (error, reason) => {
  expect(invalidity(error)).toBe(reason)
})
