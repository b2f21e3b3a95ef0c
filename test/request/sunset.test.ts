import { describe, expect, test } from 'vitest'
import { world } from '../support/world.ts'

describe('the sunset', () => {
  const retired = { SUNSET_AT: '2026-02-01T00:00:00Z', SUNSET_ENFORCED: 'true' }
  const untilSunsetMs = 86_400_000

  test('retires the endpoints from that instant when it is enforced', async () => {
    const w = await world(retired)
    w.clock.advance(untilSunsetMs - 1)
    expect((await w.list()).status).toBe(200)
    w.clock.advance(1)
    for (const answer of [await w.list(), await w.remove(7), await w.list({ headers: [] })])
      expect([answer.status, answer.json().code]).toEqual([410, 'endpoint_retired'])
  })

  test('changes nothing when it is not enforced', async () => {
    const w = await world({ ...retired, SUNSET_ENFORCED: 'false' })
    w.clock.advance(untilSunsetMs)
    expect((await w.list()).status).toBe(200)
  })
})
