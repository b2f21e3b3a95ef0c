import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { Failure } from '../../lib/domain/failure.ts'
import type { Log } from '../../lib/log.ts'
import { removeProvider } from '../../lib/removal/remove-provider.ts'
import { type Item, membershipItem, providerItem, userItem } from '../../lib/store/items.ts'
import { removalStore } from '../../lib/store/removals.ts'
import { timeLimit } from '../../lib/time.ts'
import { sampleProvider, sampleUser } from '../support/samples.ts'
import { withPlan } from './faults.ts'
import { tableOfFile } from './table.ts'
import { throughputLimits } from './throughput-limits.ts'

const { clock, open, put } = tableOfFile(10)
const isFull = process.env.TEST_FULL

interface Scenario {
  providers: number
  /** Users of each provider. */
  users: number
  budgetMs?: number
  /** The least share of the limits that is used; 0.9 by default. */
  paceMin?: number
  limits: Parameters<typeof throughputLimits>[2]
}

const small: [string, Scenario][] = [
  ['alone', { providers: 1, users: 1500, limits: { share: 0.5, keptSeconds: 0.1 } }],
  // Random pauses that fall together cost a part of the few seconds: 0.92 to 0.98 in 20 runs.
  ['beside two others', { providers: 3, users: 800, paceMin: 0.8, limits: { share: 0.25 } }],
  ['with a twentieth of the units', { providers: 1, users: 600, budgetMs: 5000, limits: { share: 0.05 } }],
]
const large: [string, Scenario][] = [
  ['of 30,000 users', { providers: 1, users: 30_000, limits: {} }],
  ['of 10,000 users beside two others', { providers: 3, users: 10_000, limits: {} }],
]

let lastId = 0

test.each([...small, ...(isFull ? large : [])])(
  'a removal %s uses the limits, and takes no DELETE more than its pace makes necessary',
  async (_, { providers, users, budgetMs = 27_850, paceMin = 0.9, limits }) => {
    const ids = Array.from({ length: providers }, () => (lastId += 100_000))
    const items = ids.flatMap(id => itemsOf(id, users))
    await put(items)
    const limited = throughputLimits(clock, items, limits)
    const startMs = clock.nowMs()
    let unlinkedMs = 0
    let deletes = 0

    /** @returns undefined for an unfinished removal */
    async function sendDelete(id: number) {
      const limit = timeLimit(clock, clock.nowMs() + budgetMs, () => new Failure('wait_expired'))
      const store = removalStore(open())
      const log: Log = event => {
        if (event === 'removal_finished') unlinkedMs = clock.nowMs() - startMs
      }
      deletes += 1
      try {
        const found = (await store.find(id, limit.signal)) ?? expect.unreachable()
        const ports = { store, clock, newId: randomUUID, retentionMs: 7 * 86_400_000 }
        const context = { requestedBy: 'test', log, signal: limit.signal }
        const affected = await removeProvider(ports, found, context)
        return (await Array.fromAsync(affected.pages)).flat()
      } catch (error) {
        expect(error).toMatchObject({ code: 'removal_unfinished' })
        return undefined
      } finally {
        limit.end()
      }
    }

    const untilDone = async (id: number) => {
      let affected = await sendDelete(id)
      while (affected === undefined) affected = await sendDelete(id)
      expect(affected.filter(user => !user.saml_provider_id.valid)).toHaveLength(users)
    }
    await withPlan(limited.plan, () => clock.moving(Promise.all(ids.map(untilDone))))

    const leastMs = limited.leastMs()
    expect(leastMs, 'the limits hold').toBeLessThan(unlinkedMs)
    expect(leastMs / unlinkedMs, 'pace').toBeGreaterThan(paceMin)
    if (isFull)
      process.stdout.write(
        `${JSON.stringify({ users, providers, deletes, leastMs, unlinkedMs, ...limited.counts })}\n`,
      )
    // The pace that is allowed above may make one more of them necessary than the limits do.
    expect(deletes, 'DELETEs').toBeLessThanOrEqual(providers * Math.ceil(leastMs / paceMin / budgetMs))
  },
  600_000,
)

function itemsOf(id: number, count: number): Item[] {
  const users = Array.from({ length: count }, (_, n) => sampleUser(id + n, { saml: id, sso: id + 1 }))
  const memberships = users.map(user => membershipItem(id, user.id))
  return [...users.map(userItem), ...memberships, providerItem(sampleProvider(id, id + 1), count)]
}
