import { marshall } from '@aws-sdk/util-dynamodb'
import { samlProviderShape } from '../../../lib/domain/resources.ts'
import { type Item, providerRecordOf } from '../../../lib/store/items.ts'
import { providerIdOf, providers } from '../../../lib/store/keys.ts'
import { countCorrection, countMembers } from '../member-count.ts'
import { itemBytes, itemBytesMax, tombstoneBytesMax } from '../../dynamodb/item-size.ts'
import type { Data } from '../open-data.ts'
import { shown } from '../records/read.ts'
import { deletion, replacement } from '../conditions.ts'
import { isOverdue, requestMaxMs } from '../ages.ts'
import { type Fault, repairable, placeOf } from './fault.ts'
import { resourceFaults } from './resource-faults.ts'

/**
 * Finds faults of the providers in the current table.
 *
 * @param membershipsOf the number of a provider's memberships in the scan
 */
export async function providerFaults(
  data: Data,
  membershipsOf: (providerId: number) => number,
  signal: AbortSignal,
): Promise<Fault[]> {
  const items = await data.table.query(
    providers,
    item => (providerIdOf(item) === undefined ? undefined : item),
    signal,
  )
  const faults = items.flatMap(item => [
    ...resourceFaults(samlProviderShape, item, providerIdOf(item) as number),
    ...stateFaults(item, data.clock.nowMs()),
    ...sizeFaults(item),
  ])
  for (const item of items) {
    const id = providerIdOf(item) as number
    if (item.state === 'active' && item.member_count !== membershipsOf(id))
      faults.push(...(await countFaults(data, id, signal)))
  }
  const active = items.filter(({ state }) => state === 'active')
  const used = items.filter(({ state }) => state === 'active' || state === 'removing')
  return [...faults, ...sharingFaults(active, 'name'), ...sharingFaults(used, 'sso_provider_id')]
}

function stateFaults(item: Item, nowMs: number): Fault[] {
  const place = placeOf(item)
  const record = providerRecordOf(item)
  if (record === undefined)
    return [{ place, problem: `state must be active, removing or removed, and is ${shown(item.state)}` }]
  const { state, removal, resource } = record
  if (state === 'removing') {
    const age = nowMs - (removal?.startedAtMs ?? 0)
    if (Math.abs(age) > requestMaxMs)
      return [
        {
          place,
          problem: `its removal began at ${shown(item.removal_started_at)} and is not finished`,
          repair: { change: 'finish the removal', by: { finishRemovalOf: resource.id }, isLast: true },
        },
      ]
  }
  if (state === 'removed' && removal === undefined)
    return [
      {
        place,
        problem: 'removal_id, removal_started_at or retained_until is malformed: it is never deleted',
      },
    ]
  const expiresAt = state === 'removed' ? removal?.retainedUntil : undefined
  if (item.expires_at !== expiresAt)
    return [
      repairable(
        item,
        `expires_at must be ${expiresAt ?? 'absent'} while it is ${state}, and is ${shown(item.expires_at)}`,
        expiresAt === undefined ? 'remove expires_at' : `set expires_at to ${expiresAt}`,
        [replacement(item, { expires_at: expiresAt }, 'state', 'retained_until')],
      ),
    ]
  if (!isOverdue(item.expires_at, nowMs)) return []
  const actions = [deletion(item, 'state', 'expires_at')]
  return [repairable(item, 'it has expired and was not deleted', 'delete it', actions, { isLast: true })]
}

/** A provider whose removal DynamoDB would refuse. */
function sizeFaults(item: Item): Fault[] {
  if (item.state !== 'active') return []
  const stored = marshall(item, { convertClassInstanceToMap: true, allowImpreciseNumbers: true })
  const leftBytes = itemBytesMax - itemBytes(stored)
  if (leftBytes >= tombstoneBytesMax) return []
  const problem = `only ${leftBytes} bytes are left of 400 KB, and its removal takes up to ${tombstoneBytesMax}`
  return [{ place: placeOf(item), problem }]
}

/** Compares the count with the memberships; a count that changed while they were read is ignored. */
async function countFaults(data: Data, id: number, signal: AbortSignal): Promise<Fault[]> {
  const { item, length, isSettled } = await countMembers(data, id, signal)
  if (!isSettled || item?.state !== 'active' || item.member_count === length) return []
  return [
    repairable(
      item,
      `member_count is ${shown(item.member_count)}, but it has ${length} memberships`,
      `set member_count to ${length}`,
      [countCorrection(item, length)],
    ),
  ]
}

/** Faults of the providers that have the same value as another one. */
function sharingFaults(items: readonly Item[], name: string): Fault[] {
  const present = items.filter(item => (item[name] ?? null) !== null)
  return [...Map.groupBy(present, item => item[name])].flatMap(([value, [first, ...others]]) =>
    others.map(other => ({
      place: placeOf(other),
      problem: `the ${name} ${shown(value)} is also that of ${first?.SK}`,
    })),
  )
}
