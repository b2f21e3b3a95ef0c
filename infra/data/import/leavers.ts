import { forEachConcurrently } from '../../../lib/concurrency.ts'
import { isListed, type ProviderRecord } from '../../../lib/domain/provider.ts'
import { membersOf } from '../member-count.ts'
import type { Data } from '../open-data.ts'
import type { Tally } from './report.ts'

/** As many users leave a provider now and then. */
const leaversMax = 10
const queriesAtOnce = 8

/**
 * Finds the active providers that would lose all of their users, or more than a tenth and more than ten: such a change is more
 * often a mistake in the source than meant, and the users would be missing in the answer of the DELETE. `member_count` may have
 * drifted: the users are the memberships, when they are fewer.
 *
 * @param unlink the ids of providers of which it is meant
 * @returns a sentence for each
 */
export async function leaversOf(
  data: Data,
  { usersOf }: Pick<Tally, 'usersOf'>,
  providers: readonly ProviderRecord[],
  unlink: readonly number[],
  signal: AbortSignal,
): Promise<string[]> {
  const left = providers.filter(isListed).filter(({ resource: { id } }) => {
    const leaving = usersOf.get(id)?.leave ?? 0
    return leaving > 0 && !unlink.includes(id)
  })
  const sentences = new Map<ProviderRecord, string>()
  await forEachConcurrently(left, queriesAtOnce, async provider => {
    const { id } = provider.resource
    const leaving = usersOf.get(id)?.leave ?? 0
    const { length } = await membersOf(data, id, signal)
    const users = Math.min(provider.memberCount ?? length, length)
    if (leaving >= users || (leaving > leaversMax && leaving > users / 10))
      sentences.set(
        provider,
        `${leaving} of the ${users} users of provider ${id} would leave it. If that is right, add --unlink ${id}.`,
      )
  })
  return left.flatMap(provider => sentences.get(provider) ?? [])
}
