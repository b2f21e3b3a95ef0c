import { expect, onTestFinished, test } from 'vitest'
import { startEngine } from '../../../infra/dynamodb/engine.ts'

test('the engine does not close idle connections', async () => {
  const engine = await startEngine()
  onTestFinished(engine.stop)
  const { headers } = await fetch(engine.endpoint)
  expect([headers.get('connection'), headers.get('keep-alive')]).toEqual(['keep-alive', null])
})
