import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { Failure } from '../../lib/domain/failure.ts'
import type { Log } from '../../lib/log.ts'
import { removeProvider } from '../../lib/removal/remove-provider.ts'
import { type Item, membershipItem, providerItem, userItem } from '../../lib/store/items.ts'
import { removalStore } from '../../lib/store/removals.ts'
import { openTable } from '../../lib/store/table.ts'
import { sampleProvider, sampleUser } from '../support/samples.ts'
import { emptyTable } from './empty-table.ts'
import { withPlan } from './faults.ts'
import { throughputLimits } from './throughput-limits.ts'

const callMs = 10
const budgetMs = 27_850

interface Scenario {
  providers: number
  /** Users of each provider. */
  users: number
  limits: Parameters<typeof throughputLimits>[2]
}

const small: [string, Scenario][] = [
  ['alone', { providers: 1, users: 1500, limits: { share: 0.5, keptSeconds: 0.1 } }],
  ['beside two others', { providers: 3, users: 800, limits: { share: 0.25 } }],
  ['with a twentieth of the units', { providers: 1, users: 600, limits: { share: 0.05 } }],
]
const large: [string, Scenario][] = [
  ['of 30,000 users', { providers: 1, users: 30_000, limits: {} }],
  ['of 30,000 users, without kept units', { providers: 1, users: 30_000, limits: { keptSeconds: 0.1 } }],
  ['of 10,000 users beside two others', { providers: 3, users: 10_000, limits: {} }],
]

/** The throttled items of a client: 400 are in flight when it meets the limits; later at most 8 batches per second. */
const throttledMax = { first: 600, perSecond: 200 }

test.each([...small, ...(process.env.TEST_FULL ? large : [])])(
  'a removal %s keeps to 0.9 of the limits, throttles little, and takes no DELETE more than they make necessary',
  async (_, { providers, users, limits }) => {
    const { clock, client, tableName, put } = await emptyTable(callMs)
    const ids = Array.from({ length: providers }, (_, n) => (n + 1) * 100_000)
    const items = ids.flatMap(id => itemsOf(id, users))
    await put(items)
    const limited = throughputLimits(clock, items, limits)
    const startMs = clock.nowMs()
    let unlinkedMs = 0
    let deletes = 0

    async function sendDelete(id: number): Promise<string> {
      const expiry = new AbortController()
      const cancel = clock.schedule(clock.nowMs() + budgetMs, () => expiry.abort(new Failure('wait_expired')))
      const store = removalStore(openTable(client, tableName, clock))
      const log: Log = event => {
        if (event === 'removal_finished') unlinkedMs = clock.nowMs() - startMs
      }
      deletes += 1
      try {
        const found = await store.find(id, expiry.signal)
        if (found === undefined) throw new Error(`provider ${id} is not found`)
        const ports = { store, clock, newId: randomUUID, retentionMs: 7 * 86_400_000 }
        const pages = await removeProvider(ports, found, { requestedBy: 'test', log, signal: expiry.signal })
        cancel()
        const answered = (await Array.fromAsync(pages)).flat()
        expect(answered.filter(user => !user.saml_provider_id.valid)).toHaveLength(users)
        return '200'
      } catch (error) {
        if (error instanceof Failure) return error.code
        throw error
      } finally {
        cancel()
      }
    }

    const untilDone = async (id: number) => {
      for (let answer = ''; answer !== '200'; ) {
        answer = await sendDelete(id)
        expect(answer).toMatch(/^200$|^removal_unfinished$/)
      }
    }
    await withPlan(limited.plan, () => clock.moving(Promise.all(ids.map(untilDone))))

    const leastMs = limited.leastMs()
    const throttledItemsMax = throttledMax.first + (throttledMax.perSecond * unlinkedMs) / 1000
    expect(leastMs, 'the limits hold').toBeLessThan(unlinkedMs)
    expect(leastMs / unlinkedMs, 'pace').toBeGreaterThan(0.9)
    expect(limited.counts.throttled / providers, 'throttled items').toBeLessThan(throttledItemsMax)
    expect(deletes, 'DELETEs').toBe(providers * Math.ceil(leastMs / budgetMs))
  },
)

function itemsOf(id: number, count: number): Item[] {
  const users = Array.from({ length: count }, (_, n) => sampleUser(id + n, { saml: id, sso: id + 1 }))
  const memberships = users.map(user => membershipItem(id, user.id))
  return [...users.map(userItem), ...memberships, providerItem(sampleProvider(id, id + 1), count)]
}
