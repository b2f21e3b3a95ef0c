import { isUnlinked } from '../../lib/removal/members.ts'
import type { Member } from '../../lib/removal/ports.ts'
import { linkedIds, type Scene, type State, type Told } from './scene.ts'

/** What must hold of the table at every moment, however far a removal has come; each broken promise as a sentence. */
export function brokenAt({ provider, expiresAt, members, users }: State, scene: Scene): string[] {
  const broken: string[] = []
  const linked = new Set(linkedIds(scene.provider, users))
  if (provider === undefined) return ['the provider is gone']
  const { state, removal } = provider
  const isMarked = (member: Member) =>
    state !== 'active' && removal !== undefined && isUnlinked(member, removal)
  if (members.length !== scene.users.length)
    broken.push(`${scene.users.length - members.length} edges are gone`)
  if (members.some(member => isMarked(member) && linked.has(member.userId)))
    broken.push('a user is marked as unlinked and is linked')
  if (provider.state === 'active' && linked.size !== scene.users.length)
    broken.push('a user is unlinked before the provider is marked as being removed')
  if (provider.state === 'removing' && expiresAt !== undefined)
    broken.push('TTL may delete a provider that is being removed')
  if (provider.state === 'removed' && linked.size > 0) broken.push('a user is linked to a removed provider')
  return broken
}

/** What must hold of an answer, and of the table beneath it. */
export function brokenBy(told: Told | string, { provider, users }: State, scene: Scene): string[] {
  if (!Array.isArray(told)) return [`instead of the list, the client is told ${told}`]
  const broken: string[] = []
  const expected = scene.users.map(user => user.id)
  if (JSON.stringify(told) !== JSON.stringify(expected))
    broken.push(`${told.length} users are listed, ${expected.length} were linked`)
  if (linkedIds(scene.provider, users).length > 0)
    broken.push('a user is linked although the answer has left')
  if (provider?.state !== 'removed') broken.push('the removal is not finished although the answer has left')
  return broken
}
