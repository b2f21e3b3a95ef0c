import { expect, test } from 'vitest'
import { openClient } from '../../lib/store/client.ts'

test('the client has no logger middleware, which would copy every answer', () => {
  const steps = openClient({ region: 'eu-central-1' }).middlewareStack.identify()
  expect(steps.filter(step => /logger/i.test(step))).toEqual([])
})
