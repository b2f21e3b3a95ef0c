import { createHash } from 'node:crypto'
import { marshall } from '@aws-sdk/util-dynamodb'
import { itemBytes } from '../../infra/dynamodb/item-size.ts'
import { translateStatement } from '../../infra/dynamodb/partiql.ts'
import type { Item } from '../../lib/store/items.ts'
import type { Clock } from '../../lib/time.ts'
import { type Attributes, isBatch, type Plan, partly } from './faults.ts'

/** The units of one partition per second. @see "Designing partition keys" in the DynamoDB Developer Guide */
const unitsPerSecond = { read: 3000, write: 1000 }
type Kind = keyof typeof unitsPerSecond

interface Limits {
  /** The share of the units that other clients leave. */
  share?: number
  /** How many seconds of unused units a partition keeps. Documented are up to 300, but as "best effort". */
  keptSeconds?: number
}

/** A new on-demand table takes 4,000 write and 12,000 read units a second when the load is even: those of four partitions. */
const partitions = 4

/**
 * A plan that limits the throughput of each partition of a new table as DynamoDB documents it: reads and writes apart;
 * batches are answered in part; a batch of which nothing is done, and any other call, fails with a throttling error.
 *
 * Assumed: a throttled item uses no units; the items of a batch are admitted in order; a BatchExecuteStatement fails by its
 * statements only; no partition is split during the test. The table has no index, whose writes would count, too.
 *
 * @param items the items of the table; their sizes determine the units
 */
export function throughputLimits(clock: Clock, items: readonly Item[], limits: Limits = {}) {
  const { share = 1, keptSeconds = 1 } = limits
  const bytes = new Map(items.map(item => marshall(item)).map(item => [nameOf(item), itemBytes(item)]))
  const bucketOf = (kind: Kind) => {
    const perSecond = unitsPerSecond[kind] * share
    const capacity = perSecond * keptSeconds
    return { perSecond, capacity, left: capacity, used: 0, atMs: clock.nowMs() }
  }
  const buckets = Array.from({ length: partitions }, () => ({
    read: bucketOf('read'),
    write: bucketOf('write'),
  }))
  const counts = { done: 0, throttled: 0 }

  function admit(kind: Kind, { PK }: Attributes, units: number): boolean {
    const hash = createHash('md5').update(String(PK?.S)).digest().readUInt32BE()
    const { [kind]: bucket } = buckets[hash % partitions] as (typeof buckets)[number]
    const elapsedSeconds = (clock.nowMs() - bucket.atMs) / 1000
    bucket.left = Math.min(bucket.capacity, bucket.left + elapsedSeconds * bucket.perSecond)
    bucket.atMs = clock.nowMs()
    // A page of a Query may take more units than a partition keeps.
    const isAdmitted = bucket.left >= Math.min(units, bucket.capacity)
    counts[isAdmitted ? 'done' : 'throttled'] += 1
    if (!isAdmitted) return false
    bucket.left -= units
    bucket.used += units
    return true
  }
  const write = (key: Attributes, newBytes = 0) =>
    admit('write', key, unitsOf(Math.max(bytes.get(nameOf(key)) ?? 0, newBytes), 1024))
  const read = (key: Attributes) => admit('read', key, unitsOf(bytes.get(nameOf(key)) ?? 0, 4096))
  /** Whether the limits admit an item of a batch: a statement, a put or a key. */
  const admitOne = (one: object): boolean => {
    const { Statement, Parameters, PutRequest } = one as Partial<Statement & Put>
    if (PutRequest !== undefined) return write(PutRequest.Item, itemBytes(PutRequest.Item))
    if (Statement === undefined) return read(one as Attributes)
    return write(translateStatement(Statement, Parameters ?? []).key as unknown as Attributes)
  }

  const plan: Plan = async call => {
    const { operation, body, send } = call
    if (operation === 'Query') {
      // It is sent first, because its units are those of the items that it finds.
      const reply = await send()
      const size = (reply.output.Items as Item[]).reduce((sum, item) => sum + itemBytes(marshall(item)), 0)
      const { ':partition': PK = { S: '' } } = body.ExpressionAttributeValues as Attributes
      if (!admit('read', { PK }, unitsOf(size, 4096))) throw throttled('ThrottlingException')
      return reply
    }
    if (!isBatch(call)) {
      const admits = { GetItem: read, UpdateItem: write }[operation]
      if (admits === undefined) throw new Error(`the limits of ${operation} are not modelled`)
      if (!admits(body.Key as Attributes)) throw throttled('ThrottlingException')
      return send()
    }
    let isAnyAdmitted = false
    const reply = await partly(call, one => {
      const isAdmitted = admitOne(one)
      isAnyAdmitted ||= isAdmitted
      return isAdmitted
    })
    if (!isAnyAdmitted && operation !== 'BatchExecuteStatement')
      throw throttled('ProvisionedThroughputExceededException')
    return reply
  }
  return {
    plan,
    /** Items that were done and items that were throttled; a page of a Query counts as one. */
    counts,
    /** The shortest time in which the limits allow the writes that were done. */
    leastMs: () =>
      Math.max(...buckets.map(({ write: { used, capacity, perSecond } }) => (used - capacity) / perSecond)) *
      1000,
  }
}

interface Statement {
  Statement: string
  Parameters: Record<string, unknown>[]
}
interface Put {
  PutRequest: { Item: Attributes }
}

const unitsOf = (bytes: number, unitBytes: number) => Math.max(1, Math.ceil(bytes / unitBytes))
const throttled = (name: string) =>
  Object.assign(new Error('throttled'), { name, $metadata: { httpStatusCode: 400 } })

const nameOf = ({ PK, SK }: Attributes) => `${PK?.S} ${SK?.S}`
