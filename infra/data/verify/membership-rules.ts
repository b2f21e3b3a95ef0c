import { providerKey, userKey } from '../../../lib/store/keys.ts'
import { addition, countChange } from '../membership/memberships.ts'
import { shown } from '../records/read.ts'
import { deletion, increase, keyOf, replacement, unchanged } from '../table/conditions.ts'
import { linkNames } from '../table/linked-providers.ts'
import type { Action } from '../table/transact.ts'
import type { Rule } from './fault.ts'
import { isUsed, type StoredPair } from './pairs.ts'

/** The rules for links of users. The user's links decide; memberships follow them. */
export const linkRules: Rule<StoredPair>[] = [
  {
    wrong: 'user who is linked to an active provider, or to one in removal, without a membership',
    mends: 'add the membership',
    why: "the user's links decide, and a removal finds its users by their memberships",
    problem: pair =>
      isInUse(pair) &&
      pair.isLinked &&
      pair.membership === undefined &&
      `it is linked to provider ${pair.providerId} but has no membership`,
    by: pair => [
      addition(pair.providerId, pair.userId),
      // The count is frozen during a removal.
      pair.record?.state === 'removing' ? providerStays(pair) : countChange(pair.providerId, 1),
      linksStay(pair),
    ],
  },
  {
    wrong: 'user who is linked to a removed provider',
    mends: 'remove the link',
    why: 'its removal has promised that no user is linked to it',
    problem: pair =>
      isRemoved(pair) && pair.isLinked && `it is linked to provider ${pair.providerId}, which was removed`,
    by: pair => [
      replacement(pair.item, {
        saml_provider_id: undefined,
        updated_at: new Date(pair.nowMs).toISOString(),
      }),
      providerStays(pair),
    ],
  },
  {
    wrong: 'user who is linked to a provider that is not in the table',
    why: 'nothing tells what the link means',
    problem: pair =>
      pair.record === undefined &&
      pair.isLinked &&
      `it is linked to provider ${pair.providerId}, which does not exist`,
  },
]

/** The rules for memberships. */
export const membershipRules: Rule<StoredPair>[] = [
  {
    wrong: 'membership of a user who is linked, with `expires_at`',
    mends: 'remove expires_at',
    why: 'TTL would delete it, and a removal leaves out a member with its mark',
    problem: pair =>
      isInUse(pair) &&
      pair.isLinked &&
      pair.membership?.expires_at !== undefined &&
      'expires_at is set, but the user is linked',
    by: pair => [replacement(pair.item, { expires_at: undefined }), providerStays(pair), linksStay(pair)],
  },
  {
    wrong: 'membership of an active provider whose user is gone or not linked to it',
    mends: 'delete the membership',
    why: "the user's links decide; while one of them cannot be read, this is no fault",
    problem: pair =>
      pair.record?.state === 'active' &&
      !pair.isLinked &&
      (pair.user ? `the user is not linked to provider ${pair.providerId}` : 'there is no such user'),
    by: pair => [
      deletion(pair.item),
      // With its first sso_provider_id, the provider may have got the user.
      increase(pair.provider ?? {}, 'member_count', -1, 'state', 'sso_provider_id'),
      linksStay(pair),
    ],
  },
  {
    wrong: 'membership of a removed provider without the mark of its removal',
    why: 'nobody knows whether the removal has listed it. When the provider is gone, it can be repaired',
    problem: pair =>
      isRemoved(pair) &&
      pair.record?.removal !== undefined &&
      pair.item.expires_at !== pair.record.removal.retainedUntil &&
      `expires_at must be ${pair.record.removal.retainedUntil}, and is ${shown(pair.item.expires_at)}: provider ${pair.providerId} was removed`,
  },
  {
    wrong: 'membership without provider that TTL does not delete, whose user is gone or linked elsewhere',
    mends: 'delete the membership',
    why: 'nothing needs it; those that a removal has left have a time in `expires_at`',
    problem: pair =>
      pair.record === undefined &&
      !pair.isLinked &&
      typeof pair.item.expires_at !== 'number' &&
      `there is no provider ${pair.providerId}`,
    by: pair => [
      deletion(pair.item, 'expires_at'),
      unchanged(providerKey(pair.providerId), undefined),
      linksStay(pair),
    ],
  },
]

const isRemoved = ({ record }: StoredPair) => record?.state === 'removed'
const isInUse = ({ record }: StoredPair) => record !== undefined && isUsed(record)

const providerStays = ({ provider = {} }: StoredPair): Action => unchanged(keyOf(provider), provider, 'state')

const linksStay = ({ userId, user }: StoredPair): Action => unchanged(userKey(userId), user, ...linkNames)
