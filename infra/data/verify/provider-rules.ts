import { isOpen, type ProviderRecord } from '../../../lib/domain/provider.ts'
import { type Item, providerRecordOf } from '../../../lib/store/items.ts'
import { providerKey } from '../../../lib/store/keys.ts'
import { membersOf } from '../membership/memberships.ts'
import type { Data } from '../open-data.ts'
import { shown } from '../records/read.ts'
import { replacement } from '../table/conditions.ts'
import type { Rule } from './fault.ts'

/** A provider whose state is known. */
export interface CountedProvider {
  item: Item
  record: ProviderRecord
  /** The number of its memberships. */
  memberships: number
}

/** What the table has about a provider. */
interface StoredProvider extends CountedProvider {
  /** Another provider that is not removed, with the same `sso_provider_id`. */
  rival: number | undefined
  nowMs: number
}

/** The longest duration of a request: Lambda's maximum time-out. */
const requestMaxMs = 900_000

export const providerRules: Rule<StoredProvider>[] = [
  {
    wrong: 'provider in state `importing`: its import was interrupted, or still runs',
    why: 'the same import adds the missing users; until then nobody can use or remove the provider',
    problem: ({ record }) =>
      record.state === 'importing' &&
      `the import of provider ${record.resource.id} was interrupted or still runs: run the same import again`,
  },
  {
    wrong: 'provider, not removed, with the `sso_provider_id` of another one',
    why: 'nobody knows which one is meant: until that is clear, no user with this id is checked or repaired',
    problem: ({ record, rival }) =>
      rival !== undefined &&
      `the sso_provider_id ${record.resource.sso_provider_id.int32} is also that of the provider ${rival}`,
  },
  {
    wrong: 'active provider whose `member_count` is not the number of its memberships',
    mends: 'set member_count to this number',
    why: 'a removal compares them, and only memberships name users',
    problem: ({ item, record, memberships }) =>
      isOpen(record) &&
      item.member_count !== memberships &&
      `member_count is ${shown(item.member_count)}, but it has ${memberships} memberships`,
    by: ({ item, memberships }) => [replacement(item, { member_count: memberships }, 'state')],
  },
  {
    wrong:
      'removal that began more than 15 minutes ago, or begins later than in 15 minutes, and is not finished',
    why: 'a removal is never undone: the function that finishes removals does it, or the same DELETE',
    problem: ({ item, record: { state, removal }, nowMs }) =>
      state === 'removing' &&
      Math.abs(nowMs - (removal?.startedAtMs ?? 0)) > requestMaxMs &&
      `its removal began at ${shown(item.removal_started_at)} and is not finished`,
  },
]

/**
 * Counts the memberships of a provider again when their number is wrong in what was read.
 *
 * @returns the provider as it is now; while other writers change its number, as if that were right
 */
export async function recounted(
  { table }: Data,
  provider: CountedProvider,
  signal: AbortSignal,
): Promise<CountedProvider> {
  const { item, record, memberships } = provider
  if (!isOpen(record) || item.member_count === memberships) return provider
  const { id } = record.resource
  const before = await table.get(providerKey(id), signal)
  const { length } = await membersOf({ table }, id, signal)
  const after = await table.get(providerKey(id), signal)
  const now = after && providerRecordOf(after)
  const isSettled = String(before?.member_count) === String(after?.member_count)
  if (now === undefined || !isSettled) return { ...provider, memberships: Number(item.member_count) }
  return { item: after as Item, record: now, memberships: length }
}
