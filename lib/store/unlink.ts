import { type LinkName, linksTo, linkValuesOf, type ProviderRecord } from '../domain/provider.ts'
import type { Unlink, Unlinked } from '../removal/ports.ts'
import { isMarked, linksOf } from './items.ts'
import { type Key, memberIdOf, membershipKey, providers, userKey } from './keys.ts'
import { backOff, isThrottlingCode } from './retry.ts'
import type { Table } from './table.ts'
import type { Refusal } from './transact.ts'
import { actionsOf } from './unlink-actions.ts'

/** How many attempts in a row may be refused for the provider, where all meet who remove it. */
const triesMax = 20

const conditionFailed = 'ConditionalCheckFailed'

/** Users whom DynamoDB has returned, by id, with the links that they have to the provider. */
type Returned = Map<string, readonly LinkName[]>

/**
 * Makes a function that unlinks at most 49 members from a provider that is in removal, and marks their memberships, in one
 * transaction. A mark therefore means that its user is unlinked. Only members from before the removal are marked, and nothing is
 * written after its finish.
 *
 * Nobody is read before. A membership is expected to have no mark, and a user to be linked to this provider, by one field or
 * both, and to no other. Otherwise DynamoDB returns the item: a member with the mark is unlinked already, and a user is sent again
 * as returned. Whom else it names waits, also a user who was returned before; when it names nobody, all wait. The others are sent
 * again at once, but with a short pause when memberships are throttled.
 */
export function unlinker(table: Table, provider: ProviderRecord): Unlink {
  const { clock } = table
  /** The links of whoever is not returned; after a group of which most were returned, those of the last of them. */
  let usual: readonly LinkName[] = linkValuesOf(provider.resource).map(([name]) => name)

  return async (userIds, signal) => {
    const returned: Returned = new Map()
    const done: Unlinked = { unlinked: 0, fewerMayPass: false }
    let left = userIds
    while (left.length > 0) {
      const { refusal, isOver } = await whileProviderIsBusy(table, signal, () => {
        const members = left.map(userId => ({ userId, links: returned.get(userId) ?? usual }))
        return table.transact(actionsOf(provider, members, clock.nowMs()), signal, { triesMax: 1 })
      })
      if (isOver) return undefined
      if (refusal === undefined) {
        done.unlinked += left.length
        break
      }
      const { refused, error } = refusal
      const verdicts = Object.groupBy(left, userId => verdictOn(userId, refused, provider, returned))
      const { unlinked = [], again = [], waiting = [] } = verdicts
      // All memberships are in one partition, and each user is in another one.
      const isSlowed = again.length > 0 && refused.some(key => memberIdOf(key) && isThrottlingCode(key.code))
      if (isSlowed) await backOff(clock, 1, signal)
      done.unlinked += unlinked.length
      if (waiting.length > 0) done.reason = error
      done.fewerMayPass ||= isSlowed || (refused.length === 0 && waiting.length > 1)
      left = again
    }
    if (returned.size > userIds.length / 2) usual = [...returned.values()].at(-1) ?? usual
    return done
  }
}

/**
 * Repeats a transaction with growing pauses while another one has the provider, or its partition is throttled.
 *
 * @returns the refusal, if there is one, and whether the provider is not in this removal any more
 * @throws Failure `table_busy` when 20 attempts in a row are refused for the provider
 */
async function whileProviderIsBusy(
  { clock }: Table,
  signal: AbortSignal,
  send: () => Promise<Refusal | undefined>,
): Promise<{ refusal: Refusal | undefined; isOver: boolean }> {
  for (let tries = 1; ; tries += 1) {
    const refusal = await send()
    const ofProvider = refusal?.refused.find(({ PK }) => PK === providers.PK)
    const isOver = ofProvider?.code === conditionFailed
    if (ofProvider === undefined || isOver) return { refusal, isOver }
    if (tries === triesMax) throw refusal?.error
    await backOff(clock, tries, signal)
  }
}

/** What a refusal says of a member. It notes the links of a user who is returned for the first time. */
function verdictOn(
  userId: string,
  refused: Refusal['refused'],
  provider: ProviderRecord,
  returned: Returned,
): 'unlinked' | 'again' | 'waiting' {
  const find = ({ PK, SK }: Key) => refused.find(key => key.PK === PK && key.SK === SK)
  const membership = find(membershipKey(provider.resource.id, userId))
  const user = find(userKey(userId))
  if (membership !== undefined) return isMarked(membership.item ?? {}, provider) ? 'unlinked' : 'waiting'
  if (user === undefined) return refused.length === 0 ? 'waiting' : 'again'
  if (user.code !== conditionFailed || returned.has(userId)) return 'waiting'
  // Who has no item has no link; the next transaction asks.
  returned.set(userId, linksTo(provider.resource, linksOf(user.item ?? {})))
  return 'again'
}
