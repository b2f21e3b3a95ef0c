import { isUnlinked } from '../../lib/removal/members.ts'
import type { Member } from '../../lib/removal/ports.ts'
import { linkedIds, type Scenario, type State, type Answer } from './scenario.ts'

/** The promises about the table that are broken at this moment of a removal, as sentences. */
export function brokenAt({ provider, expiresAt, members, users }: State, scenario: Scenario): string[] {
  const broken: string[] = []
  const linked = new Set(linkedIds(scenario.provider, users))
  if (provider === undefined) return ['the provider is gone']
  const { state, removal } = provider
  const isMarked = (member: Member) =>
    state !== 'active' && removal !== undefined && isUnlinked(member, removal)
  if (members.length !== scenario.users.length)
    broken.push(`${scenario.users.length - members.length} memberships are gone`)
  if (members.some(member => isMarked(member) && linked.has(member.userId)))
    broken.push('a user is marked as unlinked and is linked')
  if (provider.state === 'active' && linked.size !== scenario.users.length)
    broken.push('a user is unlinked before the provider is marked as being removed')
  if (provider.state === 'removing' && expiresAt !== undefined)
    broken.push('TTL may delete a provider that is being removed')
  if (provider.state === 'removed' && linked.size > 0) broken.push('a user is linked to a removed provider')
  return broken
}

/** The promises about an answer, and about the table after it, that are broken. */
export function brokenBy(answer: Answer | string, { provider, users }: State, scenario: Scenario): string[] {
  if (!Array.isArray(answer)) return [`the client receives ${answer} and no list`]
  const broken: string[] = []
  const expected = scenario.users.map(user => user.id)
  if (JSON.stringify(answer) !== JSON.stringify(expected))
    broken.push(`${answer.length} users are listed, ${expected.length} were linked`)
  if (linkedIds(scenario.provider, users).length > 0) broken.push('a user is linked after the answer')
  if (provider?.state !== 'removed') broken.push('the removal is not finished after the answer')
  return broken
}
