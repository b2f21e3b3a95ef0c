import type { ProviderRecord } from '../../lib/domain/provider.ts'
import { dataPieces } from '../../lib/http/envelope.ts'
import { affectedUsers, listedTotalOf } from '../../lib/removal/list.ts'
import type { Member, RemovalStore } from '../../lib/removal/ports.ts'
import { findProvider } from '../../lib/store/providers.ts'
import { removalStore } from '../../lib/store/removals.ts'
import { report } from '../command-line/output.ts'
import { providerId } from '../command-line/values.ts'
import { defineDataCommand, onTable } from './command.ts'
import type { Data } from './open-data.ts'
import { reportProgress, write } from './output.ts'

export const membersCommand = defineDataCommand(
  'members',
  'Prints the users whom the removal of a provider would affect or has affected, as the DELETE answers them, in any number. Exit code: 0 printed, 1 there is no such provider, or its list is gone.',
  ' --provider 7 > members.json',
)
  .requiredOption('--provider <ID>', 'The id of the SAML provider.', providerId)
  .action(({ table, provider: id }) =>
    onTable(table, async (data, signal) => {
      await printMembers(data, id, signal)
      return 0
    }),
  )

/**
 * Prints the members of a provider.
 *
 * @internal
 * @throws Error of one sentence when there is no such provider, or its list is gone
 */
export async function printMembers(
  { table, tableName, clock }: Data,
  id: number,
  signal: AbortSignal,
): Promise<void> {
  const provider = await findProvider(table, id, signal)
  if (provider === undefined)
    throw new Error(`There is no provider ${id} with a known state in ${tableName}.`)
  const store = removalStore(table)
  const members = await membersOf(store, provider, signal)
  report(summary(provider, members))
  const list = { provider, total: members.length, pages: [members.map(({ userId }) => userId)] }
  const { total, pages } = affectedUsers({ store, clock }, list, signal)
  const reported = reportedPages('users printed', total, pages)
  for await (const piece of dataPieces({ affected_user: { total, pages: reported } })) await write(piece)
  await write('\n')
}

/** The same pages; each is done when the next one is asked for. */
async function* reportedPages<One>(label: string, total: number | undefined, pages: AsyncIterable<One[]>) {
  using progress = reportProgress(label, total)
  for await (const page of pages) {
    yield page
    progress.advance(page.length)
  }
}

/**
 * The members whom the removal of a provider would affect or has affected.
 *
 * @throws Error of one sentence when the list of a removed provider has lost one: then the DELETE answers 404
 */
export async function membersOf(
  store: RemovalStore,
  provider: ProviderRecord,
  signal: AbortSignal,
): Promise<Member[]> {
  const pages = store.members(provider, signal)
  const reported = reportedPages('memberships read', provider.memberCount, pages)
  const members = (await Array.fromAsync(reported)).flat()
  if (provider.state !== 'removed') return members
  const listed = members.filter(({ isUnlinked }) => isUnlinked)
  if (listed.length < (listedTotalOf(provider) ?? 0))
    throw new Error(
      `The list of provider ${provider.resource.id} is not complete any more: TTL has begun to delete it.`,
    )
  return listed
}

function summary(provider: ProviderRecord, members: readonly Member[]) {
  const { resource, state, memberCount } = provider
  const known = `Provider ${resource.id} (${resource.name}) is ${state}: member_count ${memberCount ?? 'unknown'}`
  if (state !== 'removing') return `${known}, ${members.length} members.`
  const unlinked = members.filter(({ isUnlinked }) => isUnlinked).length
  return `${known}, ${unlinked} of ${members.length} members are unlinked: send the DELETE again.`
}
