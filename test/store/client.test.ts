import { expect, test } from 'vitest'
import { openClient } from '../../lib/store/client.ts'

test('the client copies no answer for a log that nobody reads', () => {
  const steps = openClient({ region: 'eu-central-1' }).middlewareStack.identify()
  expect(steps.filter(step => /logger/i.test(step))).toEqual([])
})
