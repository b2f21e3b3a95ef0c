import { Option } from '@commander-js/extra-typings'
import { prefetch } from '../../lib/concurrency.ts'
import type { ProviderRecord } from '../../lib/domain/provider.ts'
import type { SamlProvider, User } from '../../lib/domain/resources.ts'
import { dataPieces } from '../../lib/http/envelope.ts'
import { usersOf } from '../../lib/removal/affected.ts'
import type { Member, RemovalStore } from '../../lib/removal/ports.ts'
import { allProviders, findProvider } from '../../lib/store/providers.ts'
import { removalStore } from '../../lib/store/removals.ts'
import { print } from '../command-line/output.ts'
import { providerId } from '../command-line/values.ts'
import { defineDataCommand } from './command.ts'
import { openDisplay } from './display.ts'
import { interruptible } from './interruptible.ts'
import { type Data, withData } from './open-data.ts'
import { write } from './write.ts'

/** A command for the members of one provider, or for the counts of all providers in some states. */
interface MembersCommand<Counts extends object> {
  name: string
  purpose: string
  /** What `--all` prints. */
  all: string
  /** Why the command is not for a provider in this state; undefined: it is. */
  refusal(record: ProviderRecord): string | undefined
  /** The members whose users it prints; by default all. */
  members?(store: RemovalStore, record: ProviderRecord, signal: AbortSignal): Promise<Member[]>
  /** The counts of a provider's users, as far as the memberships suffice. */
  counts(record: ProviderRecord, members: readonly Member[]): Counts
  /** Counts a page of users, if need be. @param say gets a line about a single user */
  add?(counts: Counts, page: readonly User[], provider: SamlProvider, say: (line: string) => void): void
  /** @returns undefined when there is nothing to say after the users of one provider */
  sentence(counts: Counts): string | undefined
  line(counts: Counts): string
}

const providersAtOnce = 4

/** Defines a subcommand for the members of providers. */
export const defineMembersCommand = <Counts extends object>(about: MembersCommand<Counts>) =>
  defineDataCommand(about.name, about.purpose, ` --provider 7 > ${about.name}.json`)
    .option('--provider <ID>', 'The id of the SAML provider. Required without --all.', providerId)
    .addOption(new Option('--all', about.all).conflicts('provider'))
    .option('--json', 'With --all: prints one JSON object per line.')
    .action(({ table, provider, all = false, json = false }) =>
      interruptible(async signal => {
        if (provider === undefined && !all) throw new Error('Say which provider, with --provider or --all.')
        await withData(table, signal, data =>
          provider === undefined ? countAll(data, about, json, signal) : show(data, about, provider, signal),
        )
      }),
    )

/** Prints the users of a provider as the answer of a DELETE. */
async function show<Counts extends object>(
  data: Data,
  about: MembersCommand<Counts>,
  provider: number,
  signal: AbortSignal,
) {
  const { say, phase } = openDisplay()
  const found = await findProvider(data.table, provider, signal)
  if (found === undefined)
    throw new Error(`There is no provider ${provider} in ${data.tableName}, or nothing is left of it.`)
  const reason = about.refusal(found)
  if (reason !== undefined) throw new Error(`Provider ${provider} ${reason}`)

  const store = removalStore(data.table)
  const read = () => about.members?.(store, found, signal) ?? allMembers(store, provider, signal)
  const members = await phase('memberships', undefined, read)
  const counts = about.counts(found, members)
  await phase('users', members.length, async advance => {
    const pages = observed(usersOf(store, [members], signal), page => {
      about.add?.(counts, page, found.resource, say)
      advance(page.length)
    })
    for await (const piece of dataPieces({ affected_user: { total: members.length, pages } }))
      await write(piece)
    await write('\n')
  })
  const last = about.sentence(counts)
  if (last !== undefined) say(last)
}

/** Prints the counts of all providers that the command is for, by id. */
async function countAll<Counts extends object>(
  data: Data,
  about: MembersCommand<Counts>,
  json: boolean,
  signal: AbortSignal,
) {
  const meant = (await allProviders(data.table, signal)).filter(record => about.refusal(record) === undefined)
  const store = removalStore(data.table)
  const total = meant.reduce((sum, { memberCount }) => sum + (memberCount ?? 0), 0)
  await openDisplay().phase('users', total, async advance => {
    const count = async (record: ProviderRecord) => {
      const members = await allMembers(store, record.resource.id, signal)
      const counts = about.counts(record, members)
      if (about.add === undefined) advance(members.length)
      else
        for await (const page of usersOf(store, [members], signal)) {
          about.add(counts, page, record.resource, () => {})
          advance(page.length)
        }
      return { provider: record.resource.id, name: record.resource.name, ...counts }
    }
    for await (const counted of prefetch(meant, providersAtOnce, count))
      print(json ? JSON.stringify(counted) : `${counted.provider} ${counted.name}: ${about.line(counted)}`)
  })
}

/** All members of a provider. */
export const allMembers = async (store: RemovalStore, provider: number, signal: AbortSignal) =>
  (await Array.fromAsync(store.members(provider, signal))).flatMap(({ items }) => items)

async function* observed<T>(pages: AsyncIterable<T>, look: (page: T) => void) {
  for await (const page of pages) {
    look(page)
    yield page
  }
}
