import { marshall } from '@aws-sdk/util-dynamodb'
import type { ProviderRecord } from '../../../lib/domain/provider.ts'
import { listedTotal } from '../../../lib/removal/members.ts'
import type { Item } from '../../../lib/store/items.ts'
import type { Key } from '../../../lib/store/keys.ts'
import { itemBytes, itemBytesMax, tombstoneBytesMax } from '../../dynamodb/item-size.ts'
import { countCorrection } from '../member-count.ts'
import { shown } from '../records/read.ts'
import { requestMaxMs } from '../table/table-item.ts'
import type { Rule } from './fault.ts'

/** The numbers of memberships of a provider, and of those with the mark of its removal. */
export interface Memberships {
  all: number
  marked: number
}

/** What the table has about a provider. */
export interface StoredProvider {
  item: Item
  /** undefined: its state cannot be read. */
  record: ProviderRecord | undefined
  /** Its memberships, if they are not as many as `member_count`, or after a removal fewer than it listed. */
  memberships: Memberships | undefined
  /** The sort keys of the providers before it with the same name and the same SSO provider. */
  rivals: { name: string | undefined; sso_provider_id: string | undefined }
  nowMs: number
}

export const providerRules: Rule<StoredProvider>[] = [
  {
    wrong: 'provider with an unknown `state`',
    why: 'nothing else tells whether it is in use',
    problem: ({ item, record }) =>
      record === undefined && `state must be active, removing or removed, and is ${shown(item.state)}`,
  },
  {
    wrong: 'active provider with the name of another one',
    why: 'nobody knows which one has the right name',
    problem: ({ item, rivals: { name } }) => name && `the name ${shown(item.name)} is also that of ${name}`,
  },
  {
    wrong: 'provider, not removed, with the `sso_provider_id` of another one',
    why: 'nobody knows which one is meant by the links of users',
    problem: ({ item, rivals: { sso_provider_id: rival } }) =>
      rival && `the sso_provider_id ${shown(item.sso_provider_id)} is also that of ${rival}`,
  },
  {
    wrong: "provider with less than 1,000 bytes left of DynamoDB's 400 KB: its removal would be refused",
    why: 'only its writers know what it does not need',
    problem: ({ item }) => {
      const stored = marshall(item, { convertClassInstanceToMap: true, allowImpreciseNumbers: true })
      const leftBytes = itemBytesMax - itemBytes(stored)
      const isTooLarge = item.state === 'active' && leftBytes < tombstoneBytesMax
      return (
        isTooLarge && `only ${leftBytes} bytes are left, and its removal takes up to ${tombstoneBytesMax}`
      )
    },
  },
  {
    wrong: 'active provider whose `member_count` is not the number of its memberships',
    mends: 'set member_count to this number',
    why: 'a removal compares them, and only memberships name users',
    problem: ({ item, record, memberships }) =>
      record?.state === 'active' &&
      memberships !== undefined &&
      `member_count is ${shown(item.member_count)}, but it has ${memberships.all} memberships`,
    by: ({ item, memberships }) => [countCorrection(item, memberships?.all ?? 0)],
  },
  {
    wrong: 'provider, not removed, with `expires_at`',
    why: 'TTL deletes it while it is used; the service never sets it there, so its writer knows what is meant',
    problem: ({ item: { state, expires_at }, record }) =>
      record !== undefined &&
      state !== 'removed' &&
      expires_at !== undefined &&
      `expires_at must be absent while it is ${state}, and is ${shown(expires_at)}`,
  },
  {
    wrong: 'removed provider whose `expires_at` is not its `retained_until`',
    why: 'TTL deletes it at another time than its memberships; nobody knows which of the two is right',
    problem: ({ item: { expires_at }, record }) =>
      record?.state === 'removed' &&
      record.removal !== undefined &&
      expires_at !== record.removal.retainedUntil &&
      `expires_at must be ${record.removal.retainedUntil} while it is removed, and is ${shown(expires_at)}`,
  },
  {
    wrong:
      'removed provider, before the end of its retention, with fewer marked memberships than its removal listed',
    why: 'nothing else names the users who are missing in the list: restore a copy of the table from before',
    problem: ({ record, memberships }) =>
      record?.state === 'removed' &&
      memberships !== undefined &&
      `its removal lists ${listedTotal(record)} users, but only ${memberships.marked} memberships have its mark: a DELETE is answered 404`,
  },
  {
    wrong: 'removed provider whose removal cannot be read',
    why: 'the end of its retention is not known',
    problem: ({ record }) =>
      record?.state === 'removed' &&
      record.removal === undefined &&
      'removal_id, removal_started_at or retained_until is malformed: it is never deleted',
  },
  {
    wrong:
      'removal that began more than 15 minutes ago, or begins later than in 15 minutes, and is not finished',
    mends: 'finish the removal',
    why: 'a removal cannot be undone; it is finished with the code of the DELETE',
    isLast: true,
    problem: ({ item, record, nowMs }) =>
      record?.state === 'removing' &&
      Math.abs(nowMs - (record.removal?.startedAtMs ?? 0)) > requestMaxMs &&
      `its removal began at ${shown(item.removal_started_at)} and is not finished`,
    by: ({ record }) => ({ finishRemovalOf: record?.resource.id ?? 0 }),
  },
]

/** A provider that is not in the table, and the number of users who are linked to it. */
export interface AbsentProvider {
  item: Key
  providerId: number
  users: number
}

export const absentProviderRule: Rule<AbsentProvider> = {
  wrong:
    'users who are linked to a provider that is not in the table: its import was interrupted, or still runs',
  why: 'the same import adds the provider; until then their memberships are left as they are',
  problem: ({ providerId, users }) =>
    `there is no such provider, but ${users === 1 ? '1 user is' : `${users} users are`} linked to it: an import of provider ${providerId} was interrupted or still runs: run the same import again`,
}
