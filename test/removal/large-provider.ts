import type { ProviderRecord, RemovingProvider } from '../../lib/domain/provider.ts'
import type { Member, RemovalStore } from '../../lib/removal/ports.ts'
import { batchSender } from '../../lib/store/retry.ts'
import { delay } from '../../lib/time.ts'
import type { FakeClock } from '../support/fake-clock.ts'
import { sampleProvider, userId } from '../support/samples.ts'

/** The units of one partition per second, and the number of partitions of a new table, as in throughput-limits.ts. */
const unitsPerSecond = { read: 3000, write: 1000 }
const partitions = 4
const callMs = 10
const pageBytes = 1024 * 1024
/** PK and SK of a membership, and its mark. */
const memberBytes = 60
const markBytes = 16
const bytesPerReadUnit = 4096

const indexOf = (id: string) => Number(id.slice(-12))

/**
 * The store of a provider in which only numbers are kept: one byte for each user. Its calls take time on the clock and units of
 * a partition, its batches are sent at the pace of `lib/store`, and its pages have 1 MB, as those of DynamoDB.
 *
 * @param userUnits the write units of a user
 */
export function largeProvider(clock: FakeClock, users: number, userUnits: number) {
  const isLinked = new Uint8Array(users).fill(1)
  const isMarked = new Uint8Array(users)
  const used = { read: 0, write: 0 }
  const pages = {
    read: 0,
    ofMarked: Math.ceil((users * (memberBytes + markBytes)) / pageBytes),
    readMs: callMs + (pageBytes / bytesPerReadUnit / unitsPerSecond.read) * 1000,
  }
  let provider: ProviderRecord = {
    resource: sampleProvider(7),
    state: 'active',
    memberCount: users,
    removal: undefined,
  }
  const buckets = Array.from({ length: partitions }, () => ({ read: bucket('read'), write: bucket('write') }))
  const progress = { items: 0 }
  const sendUpdates = batchSender(clock, progress)
  const sendMarks = batchSender(clock, progress)

  /** The units that a partition takes; it keeps those of one second. */
  function bucket(kind: 'read' | 'write') {
    const perSecond = unitsPerSecond[kind]
    let left = perSecond
    let atMs = clock.nowMs()
    return (units: number) => {
      left = Math.min(perSecond, left + ((clock.nowMs() - atMs) / 1000) * perSecond)
      atMs = clock.nowMs()
      if (left < units) return false
      left -= units
      used[kind] += units
      return true
    }
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

  async function* members(_id: number, signal: AbortSignal) {
    let next = 0
    do {
      const items: Member[] = []
      let bytes = 0
      for (; next < users && bytes < pageBytes; next++) {
        const marked = isMarked[next] === 1
        bytes += memberBytes + (marked ? markBytes : 0)
        items.push({ userId: userId(next), expiresAt: marked ? provider.removal?.retainedUntil : undefined })
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
      [await store.find(7, signal)].filter(found => found?.state === 'removing') as ProviderRecord[],
    members,
    unlinker: () => (userIds, _atMs, signal) =>
      sendUpdates(signal, [...userIds], async left => {
        await called(signal)
        return left.filter(id => {
          const n = indexOf(id)
          const isDone = buckets[n % partitions]?.write(userUnits) === true
          if (isDone) isLinked[n] = 0
          return !isDone
        })
      }),
    async mark(_id, userIds, _until, signal) {
      await sendMarks(signal, userIds, async left => {
        await called(signal)
        return left.filter(id => {
          const isDone = buckets[0]?.write(1) === true
          if (isDone) isMarked[indexOf(id)] = 1
          return !isDone
        })
      })
      return []
    },
    async finish(_id, _removal, affectedTotal, _atMs, signal) {
      await taking('write', 1, signal)
      provider = { ...provider, state: 'removed', affectedTotal }
      return true
    },
    users: () => Promise.reject(new Error('the answer is not simulated')),
  }
  return {
    store,
    used,
    /** The pages that were read, those of all memberships when they are marked, and how long it takes to read one. */
    pages,
    provider: () => provider,
    /** How many users are linked, and how many memberships are marked. */
    left: () => ({
      linked: isLinked.reduce((sum, n) => sum + n, 0),
      marked: isMarked.reduce((sum, n) => sum + n, 0),
    }),
  }
}
