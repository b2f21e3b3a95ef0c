import { describe, expect, test } from 'vitest'
import { Failure } from '../../lib/domain/failure.ts'
import { finishRemovals } from '../../lib/removal/finish-removals.ts'
import { membershipItem, providerItem, userItem } from '../../lib/store/items.ts'
import { members, providers } from '../../lib/store/keys.ts'
import { removalStore } from '../../lib/store/removals.ts'
import { openTable } from '../../lib/store/table.ts'
import { delay, timeLimit } from '../../lib/time.ts'
import { sampleProvider, sampleUser } from '../support/samples.ts'
import { emptyTable } from './empty-table.ts'
import { type Plan, withPlan } from './faults.ts'
import { requestMaxMs, runMs } from './scenario.ts'

const never = new AbortController().signal

/** Abandoned removals of these providers, each with so many users. */
async function abandoned(ids: number[], users: number, removal_started_at = '2026-01-30T00:00:00.000Z') {
  const { clock, client, tableName, put } = await emptyTable()
  const removal = { state: 'removing', removal_id: 'r', removal_started_at, retained_until: 4e9 }
  for (const id of ids) {
    const people = Array.from({ length: users }, (_, n) => sampleUser(id * 1000 + n, { saml: id }))
    await put([...people.map(userItem), ...people.map(user => membershipItem(id, user.id))])
    await put([{ ...providerItem(sampleProvider(id), users), ...removal }])
  }
  const table = openTable(client, tableName, clock)
  const ports = { store: removalStore(table), clock, newId: () => 'new', retentionMs: 7 * 86_400_000 }
  return {
    clock,
    async run(plan: Plan) {
      const endsAtMs = clock.nowMs() + runMs
      const { signal, end } = timeLimit(clock, endsAtMs, () => new Failure('wait_expired'))
      const run = () => finishRemovals(ports, requestMaxMs, { log: () => {}, signal, endsAtMs })
      await withPlan(plan, () => clock.moving(run())).finally(() => end())
    },
    states: () => clock.moving(table.query(providers, ({ state }) => state, never)),
    marked: (id: number) => clock.moving(table.query(members(id), ({ expires_at }) => expires_at, never)),
  }
}

const timeOut = () => Object.assign(new Error('time-out'), { name: 'TimeoutError' })
const timeOutMs = 3000

describe('a run of the scheduled function', () => {
  test.each([1, 2, 3])('finishes the others when the removal of provider %i never ends', async endless => {
    const s = await abandoned([1, 2, 3], 1)
    await s.run(async ({ operation, body, send }) => {
      const reply = await send()
      if (operation !== 'Query' || !JSON.stringify(body).includes(`"SAML_PROVIDER#${endless}"`)) return reply
      await s.clock.thaw(() => delay(s.clock, 1000, never))
      return { output: { ...reply.output, LastEvaluatedKey: membershipItem(endless, 'x') } }
    })
    expect(await s.states()).toEqual([1, 2, 3].map(id => (id === endless ? 'removing' : 'removed')))
  })

  test('finishes a removal that seems to begin in a year', async () => {
    const s = await abandoned([1], 2, '2027-01-30T00:00:00.000Z')
    await s.run(({ send }) => send())
    expect(await s.states()).toEqual(['removed'])
  })

  test('sends nothing after its time, after whichever call the process was frozen', async () => {
    for (let frozenAt = 1; ; frozenAt++) {
      const s = await abandoned([1], 30)
      const sentLate: number[] = []
      let isFrozen = false
      await s.run(async ({ n, send }) => {
        if (isFrozen) sentLate.push(n)
        const reply = await send()
        if (n === frozenAt) {
          isFrozen = true
          s.clock.suspend(8 * 86_400_000)
        }
        return reply
      })
      if (!isFrozen) break
      expect(sentLate, `frozen after call ${frozenAt}`).toEqual([])
    }
  })

  test('removes 300 users on an engine that takes one batch at a time and drops those that wait too long', async () => {
    const s = await abandoned([1], 300)
    let busyUntilMs = 0
    await s.run(async ({ operation, send }) => {
      if (!/^Batch(Execute|Write)/.test(operation)) return send()
      const startMs = Math.max(s.clock.nowMs(), busyUntilMs)
      busyUntilMs = startMs + 1000
      const waitMs = busyUntilMs - s.clock.nowMs()
      await s.clock.thaw(() => delay(s.clock, Math.min(waitMs, timeOutMs), never))
      if (waitMs > timeOutMs) throw timeOut()
      return send()
    })
    expect(await s.states()).toEqual(['removed'])
  })
})
