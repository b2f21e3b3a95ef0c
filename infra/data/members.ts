import type { ProviderRecord } from '../../lib/domain/provider.ts'
import type { User } from '../../lib/domain/resources.ts'
import { dataPieces } from '../../lib/http/envelope.ts'
import { usersOf } from '../../lib/removal/affected.ts'
import type { Member, RemovalStore } from '../../lib/removal/ports.ts'
import { findProvider } from '../../lib/store/providers.ts'
import { removalStore } from '../../lib/store/removals.ts'
import { providerId } from '../command-line/values.ts'
import { defineDataCommand, interruptible } from './command.ts'
import { type Data, withData } from './open-data.ts'
import { say, write } from './progress.ts'

/** A command that prints the users of one provider as a DELETE answers them. */
interface MembersCommand {
  name: string
  purpose: string
  /** Why the command is not for a provider in this state; undefined: it is. */
  refusal(record: ProviderRecord): string | undefined
  /** The members whose users it prints. */
  members(store: RemovalStore, record: ProviderRecord, signal: AbortSignal): Promise<Member[]>
  /** What the command says besides: a look at each page of users, and a sentence after all, if there is something to say. */
  remarks(
    record: ProviderRecord,
    members: readonly Member[],
    data: Data,
    signal: AbortSignal,
  ): Promise<{ look?(page: readonly User[]): void; sentence(): string | undefined }>
}

/** Defines a subcommand for the members of a provider. */
export const defineMembersCommand = (about: MembersCommand) =>
  defineDataCommand(about.name, about.purpose, ` --provider 7 > ${about.name}.json`)
    .requiredOption('--provider <ID>', 'The id of the SAML provider.', providerId)
    .action(({ table, provider }) =>
      interruptible(signal => withData(table, signal, data => show(data, about, provider, signal))),
    )

async function show(data: Data, about: MembersCommand, provider: number, signal: AbortSignal) {
  const found = await findProvider(data.table, provider, signal)
  if (found === undefined)
    throw new Error(
      `There is no provider ${provider} with a known state in ${data.tableName}: \`verify\` says what is wrong.`,
    )
  const reason = about.refusal(found)
  if (reason !== undefined) throw new Error(`Provider ${provider} ${reason}`)

  const store = removalStore(data.table)
  const members = await about.members(store, found, signal)
  const remarks = await about.remarks(found, members, data, signal)
  await data.phase('users', members.length, async advance => {
    const pages = observed(usersOf(store, [members], signal), page => {
      remarks.look?.(page)
      advance(page.length)
    })
    for await (const piece of dataPieces({ affected_user: { total: members.length, pages } }))
      await write(piece)
    await write('\n')
  })
  const last = remarks.sentence()
  if (last !== undefined) say(last)
}

/** All members of a provider. */
export const allMembers = async (store: RemovalStore, { resource }: ProviderRecord, signal: AbortSignal) =>
  (await Array.fromAsync(store.members(resource.id, signal))).flatMap(({ items }) => items)

async function* observed<T>(pages: AsyncIterable<T>, look: (page: T) => void) {
  for await (const page of pages) {
    look(page)
    yield page
  }
}
