import type { ProviderRecord, RemovingProvider } from '../../lib/domain/provider.ts'
import type { Member, RemovalStore } from '../../lib/removal/ports.ts'
import { batchSender } from '../../lib/store/retry.ts'
import { delay } from '../../lib/time.ts'
import type { FakeClock } from '../support/fake-clock.ts'
import { sampleProvider, userId } from '../support/samples.ts'

/** The units of one partition per second. @see "Designing partition keys" in the DynamoDB Developer Guide */
const unitsPerSecond = { read: 3000, write: 1000 }
/** A new on-demand table takes 4,000 write and 12,000 read units a second when the load is even: those of four partitions. */
const partitions = 4
const callMs = 10
const pageBytes = 1024 * 1024
/** PK and SK of a membership, and its mark. */
const memberBytes = 60
const markBytes = 16
const bytesPerReadUnit = 4096

const indexOf = (id: string) => Number(id.slice(-12))

export interface Simulated {
  /** Each with so many users; the memberships of all of them share a partition. */
  providers: number
  users: number
  /** The write units of a user. */
  userUnits: number
  /** The share of the units that other clients leave. */
  share: number
}

/**
 * The store of providers in which only numbers are kept: one byte for each user. Its calls take time on the clock and units
 * of a partition, its batches are sent at the pace of `lib/store`, and its pages have 1 MB, as those of DynamoDB.
 *
 * Assumed: a throttled item uses no units, a partition keeps those of one second, and none is split.
 */
export function simulatedStores(clock: FakeClock, { providers, users, userUnits, share }: Simulated) {
  const used = { read: 0, write: 0 }
  const throttled = { items: 0 }
  const pages = { read: 0 }
  const buckets = Array.from({ length: partitions }, () => ({ read: bucket('read'), write: bucket('write') }))
  const stores = Array.from({ length: providers }, (_, n) => simulated(n + 1))
  return {
    stores,
    used,
    throttled,
    pages,
    /** The shortest time in which the limits allow the writes. */
    leastMs: () => Math.max(...buckets.map(({ write }) => write.leastMs())),
  }

  /** The units that a partition takes; it keeps those of one second. */
  function bucket(kind: 'read' | 'write') {
    const perSecond = unitsPerSecond[kind] * share
    let left = perSecond
    let taken = 0
    let atMs = clock.nowMs()
    const take = (units: number) => {
      left = Math.min(perSecond, left + ((clock.nowMs() - atMs) / 1000) * perSecond)
      atMs = clock.nowMs()
      // A page of a Query may take more units than a partition keeps.
      if (left < Math.min(units, perSecond)) return false
      left -= units
      taken += units
      used[kind] += units
      return true
    }
    return Object.assign(take, { leastMs: () => ((taken - perSecond) / perSecond) * 1000 })
  }

  async function called(signal: AbortSignal) {
    signal.throwIfAborted()
    await delay(clock, callMs, signal)
  }

  /** Waits for the units of a call. */
  async function taking(kind: 'read' | 'write', units: number, signal: AbortSignal) {
    await called(signal)
    while (!buckets[0]?.[kind](units)) await delay(clock, callMs, signal)
  }

  /** The items of a batch for which its partition has no units. */
  function throttledOf(ids: readonly string[], take: (n: number) => boolean | undefined): string[] {
    const left = ids.filter(id => take(indexOf(id)) !== true)
    throttled.items += left.length
    return left
  }

  function simulated(id: number) {
    const isLinked = new Uint8Array(users).fill(1)
    const isMarked = new Uint8Array(users)
    let provider: ProviderRecord = {
      resource: sampleProvider(id),
      state: 'active',
      memberCount: users,
      removal: undefined,
    }
    const progress = { items: 0 }
    const sendUpdates = batchSender(clock, progress)
    const sendMarks = batchSender(clock, progress)

    async function* members(_id: number, signal: AbortSignal) {
      let next = 0
      do {
        const items: Member[] = []
        let bytes = 0
        for (; next < users && bytes < pageBytes; next++) {
          const marked = isMarked[next] === 1
          bytes += memberBytes + (marked ? markBytes : 0)
          items.push({
            userId: userId(next),
            expiresAt: marked ? provider.removal?.retainedUntil : undefined,
          })
        }
        await taking('read', Math.ceil(bytes / bytesPerReadUnit), signal)
        pages.read += 1
        yield { items, isLast: next >= users }
      } while (next < users)
    }

    const store: RemovalStore = {
      async begin(_id, removal, _by, signal) {
        await taking('write', 1, signal)
        provider = { ...provider, state: 'removing', removal }
        return provider as RemovingProvider
      },
      mend: () => Promise.reject(new Error('not malformed')),
      async find(_id, signal) {
        await taking('read', 1, signal)
        return provider
      },
      removing: async signal =>
        [await store.find(id, signal)].filter(found => found?.state === 'removing') as ProviderRecord[],
      members,
      unlinker: () => (userIds, _atMs, signal) =>
        sendUpdates(signal, [...userIds], async left => {
          await called(signal)
          return throttledOf(left, n => {
            const isDone = buckets[n % partitions]?.write(userUnits)
            if (isDone) isLinked[n] = 0
            return isDone
          })
        }),
      async mark(_id, userIds, _until, signal) {
        await sendMarks(signal, userIds, async left => {
          await called(signal)
          return throttledOf(left, n => {
            const isDone = buckets[0]?.write(1)
            if (isDone) isMarked[n] = 1
            return isDone
          })
        })
        return []
      },
      async finish(_id, _removal, affectedTotal, _atMs, signal) {
        await taking('write', 1, signal)
        provider = { ...provider, state: 'removed', affectedTotal }
        return true
      },
      users: async () => [],
    }
    return {
      store,
      provider: () => provider,
      /** How many users are linked, and how many memberships are marked. */
      left: () => ({
        linked: isLinked.reduce((sum, n) => sum + n, 0),
        marked: isMarked.reduce((sum, n) => sum + n, 0),
      }),
    }
  }
}
