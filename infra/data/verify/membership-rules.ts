import type { Item } from '../../../lib/store/items.ts'
import { providerKey, userKey } from '../../../lib/store/keys.ts'
import { deletion, increase, keyOf, replacement, unchanged } from '../table/conditions.ts'
import { addition, countChange } from '../member-count.ts'
import { linkNames } from '../membership/change-users.ts'
import { shown } from '../records/read.ts'
import type { Action } from '../table/transact.ts'
import type { Rule } from './fault.ts'
import type { StoredPair, Unmarked } from './pair.ts'

const any = ['absent', 'lasting', 'marked', 'expiring'] as const
const [, ...present] = any

/** The rules for users and memberships of a provider. The user's links decide; memberships follow them. */
export const membershipRules: Rule<StoredPair>[] = [
  {
    wrong: 'user who is linked to an active provider, or to one in removal, without a membership',
    mends: 'add the membership',
    why: "the user's links decide, and a removal finds its users by their memberships",
    at: 'user',
    problem: pair =>
      is(pair, ['active', 'removing'], ['linked'], ['absent']) &&
      `it is linked to provider ${pair.providerId} but has no membership`,
    by: pair => [
      addition(pair.providerId, pair.userId),
      // The count is frozen during a removal.
      pair.state === 'active' ? countChange(pair.providerId, 1) : providerStays(pair),
      linksStay(pair),
    ],
  },
  {
    wrong: 'membership of such a user with `expires_at`',
    mends: 'remove expires_at',
    why: 'TTL would delete it, and a removal leaves out a member with its mark',
    at: 'membership',
    problem: pair =>
      is(pair, ['active', 'removing'], ['linked'], ['marked', 'expiring']) &&
      'expires_at is set, but the user is linked',
    by: pair => [
      replacement(pair.membership as Item, { expires_at: undefined }),
      providerStays(pair),
      linksStay(pair),
    ],
  },
  {
    wrong: 'membership of an active provider whose user is gone or not linked to it',
    mends: 'delete the membership',
    why: "the user's links decide; while one of them cannot be read, this is no fault",
    at: 'membership',
    problem: pair =>
      is(pair, ['active'], ['none'], present) &&
      (pair.user ? `the user is not linked to provider ${pair.providerId}` : 'there is no such user'),
    by: pair => [
      deletion(pair.membership as Item),
      // With its first sso_provider_id, the provider may have got the user.
      increase(pair.provider as Item, 'member_count', -1, 'state', 'sso_provider_id'),
      linksStay(pair),
    ],
  },
  {
    wrong: 'user who is linked to a removed provider',
    mends: 'remove the link',
    why: 'its removal has promised that no user is linked to it',
    at: 'user',
    problem: pair =>
      is(pair, ['removed'], ['linked'], any) &&
      `it is linked to provider ${pair.providerId}, which was removed`,
    by: pair => {
      const { user = {}, linkedBy, nowMs } = pair
      const links = Object.fromEntries(linkedBy.map(name => [name, undefined]))
      // A map in the place of the time is left to a person.
      const time = typeof user.updated_at !== 'object' && { updated_at: new Date(nowMs).toISOString() }
      return [replacement(user, { ...links, ...time }), providerStays(pair)]
    },
  },
  {
    wrong:
      'membership of a removed provider whose `expires_at` is not `retained_until` of the provider; its list lacks it',
    mends: 'set expires_at to retained_until',
    why: 'the removal has listed it, and TTL has to delete them at the same time',
    at: 'membership',
    problem: withoutMark('listed', 'whose list lacks it'),
    by: pair => [
      replacement(pair.membership as Item, { expires_at: pair.mark }),
      providerStays(pair, 'retained_until'),
    ],
  },
  {
    wrong: 'membership of a removed provider with a wrong `expires_at`, when its list is complete without it',
    mends: 'delete the membership',
    why: 'another writer added it after the removal, whose list must not grow',
    at: 'membership',
    problem: withoutMark('strangers', 'whose list is complete without it'),
    by: pair => [deletion(pair.membership as Item, 'expires_at'), providerStays(pair, 'retained_until')],
  },
  {
    wrong:
      'memberships of a removed provider with a wrong `expires_at`, when they are more than its list lacks',
    why: 'nobody knows which of them the removal has listed',
    at: 'membership',
    problem: withoutMark('unclear', 'whose list lacks only some of the memberships without it'),
  },
  {
    wrong: 'membership without provider that no removal has left, whose user is gone or linked elsewhere',
    mends: 'delete the membership',
    why: 'nothing needs it; a removal sets `expires_at` to at most 3,650 days and 15 minutes from now',
    at: 'membership',
    problem: pair =>
      is(pair, ['none'], ['none'], ['lasting', 'expiring']) &&
      `there is no provider ${pair.providerId}${pair.membershipIs === 'lasting' ? '' : `, and no removal sets expires_at to ${shown(pair.membership?.expires_at)}`}`,
    by: pair => [
      deletion(pair.membership as Item, 'expires_at'),
      unchanged(providerKey(pair.providerId), undefined),
      linksStay(pair),
    ],
  },
  {
    wrong: 'user who is linked to a provider of which only memberships of its removal are left',
    why: 'nothing tells when the user was linked, and to what',
    at: 'user',
    problem: pair =>
      is(pair, ['none'], ['linked'], ['marked', 'expiring']) &&
      `it is linked to provider ${pair.providerId}, which was removed and does not exist`,
  },
]

/** Whether an import that was interrupted can have left this: it writes a new provider last. */
export const isOfImport = (pair: StoredPair): boolean =>
  is(pair, ['none'], ['linked', 'shared'], ['absent', 'lasting'])

function is(
  pair: StoredPair,
  states: readonly StoredPair['state'][],
  links: readonly StoredPair['link'][],
  memberships: readonly StoredPair['membershipIs'][],
): boolean {
  return states.includes(pair.state) && links.includes(pair.link) && memberships.includes(pair.membershipIs)
}

function withoutMark(are: Unmarked, whose: string) {
  return (pair: StoredPair) =>
    is(pair, ['removed'], ['none', 'unreadable'], ['lasting', 'expiring']) &&
    pair.unmarked === are &&
    `expires_at must be ${pair.mark}, and is ${shown(pair.membership?.expires_at)}: provider ${pair.providerId} was removed, ${whose}`
}

const providerStays = ({ provider }: StoredPair, ...names: string[]): Action =>
  unchanged(keyOf(provider as Item), provider, 'state', ...names)

const linksStay = ({ userId, user }: StoredPair): Action => unchanged(userKey(userId), user, ...linkNames)
