import type { Item } from '../../lib/store/items.ts'
import { userId } from '../support/samples.ts'

const begunAt = '2026-01-31T00:00:00.000Z'
const retained_until = 1_770_422_400

const provider = {
  PK: 'SAML_PROVIDERS',
  SK: 'PROVIDER#0000000007',
  id: 7,
  sso_provider_id: 8,
  member_count: 3,
}
const removal = {
  removal_id: 'removal-1',
  removal_started_at: begunAt,
  removed_by: 'admin',
  retained_until,
}
const membership = (n: number, mark: Item = {}) => ({
  PK: 'SAML_PROVIDER#7',
  SK: `USER#${userId(n)}`,
  ...mark,
})
const user = (n: number, links: Item = {}, updated_at = begunAt) => ({
  PK: `USER#${userId(n)}`,
  SK: 'USER',
  id: userId(n),
  updated_at,
  ...links,
})
const earlier = '2024-03-02T09:30:00.000Z'

/**
 * The items that each write of a removal by version 1.0.0 left, in order. They were recorded from commit 9e20d59: it
 * removed provider 7 at the start time of the tests' clock, one call at a time, and was stopped by a thrown error after
 * each write, and after the first half of its BatchWriteItem.
 */
export const writes: [step: string, written: Item[]][] = [
  [
    'nothing is written',
    [
      ...[1, 2, 3].map(n => membership(n)),
      { ...provider, state: 'active' },
      user(1, { saml_provider_id: 7, sso_provider_id: 8 }, earlier),
      user(2, { saml_provider_id: 7, sso_provider_id: 5 }, earlier),
      user(3, { sso_provider_id: 8 }, earlier),
    ],
  ],
  ['the removal has begun', [{ ...provider, ...removal, state: 'removing' }]],
  ['one user is unlinked', [user(1)]],
  ['two users are unlinked', [user(2, { sso_provider_id: 5 })]],
  ['all users are unlinked', [user(3)]],
  ['one membership is marked', [membership(1, { expires_at: retained_until })]],
  ['all memberships are marked', [2, 3].map(n => membership(n, { expires_at: retained_until }))],
  [
    'the removal is finished',
    [{ ...provider, ...removal, state: 'removed', removed_at: begunAt, expires_at: retained_until }],
  ],
]
