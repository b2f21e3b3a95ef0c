import type { ProviderRecord } from '../../lib/domain/provider.ts'
import type { User } from '../../lib/domain/resources.ts'
import { dataPieces } from '../../lib/http/envelope.ts'
import { affectedUsers } from '../../lib/removal/affected.ts'
import type { Member } from '../../lib/removal/ports.ts'
import { findProvider } from '../../lib/store/providers.ts'
import { removalStore } from '../../lib/store/removals.ts'
import { providerId } from '../command-line/values.ts'
import { defineDataCommand } from './command.ts'
import { openDisplay } from './display.ts'
import { interruptible } from './interruptible.ts'
import { withData } from './open-data.ts'
import { write } from './write.ts'

/** A provider and its members, for commands that print them. */
interface Members {
  found: ProviderRecord
  members: Member[]
  /** Prints the members as a DELETE's answer. @param look called with each page of users */
  print(look?: (page: User[]) => void): Promise<void>
}

/**
 * Defines a subcommand for the members of one provider.
 *
 * @param work throws Error of one sentence when the provider is in the wrong state
 */
export const defineMembersCommand = (
  name: string,
  purpose: string,
  work: (members: Members) => Promise<void>,
) =>
  defineDataCommand(name, purpose, ` --provider 7 > ${name}.json`)
    .requiredOption('--provider <ID>', 'The id of the SAML provider.', providerId)
    .action(({ table, provider }) =>
      interruptible(signal =>
        withData(table, signal, async data => {
          const found = await findProvider(data.table, provider, signal)
          if (found === undefined)
            throw new Error(`There is no provider ${provider} in ${table}, or nothing is left of it.`)
          const store = removalStore(data.table)
          const members = await store.members(provider, signal)
          const print: Members['print'] = look =>
            openDisplay().phase('users', members.length, async advance => {
              const pages = observed(affectedUsers(store, members, signal), page => {
                look?.(page)
                advance(page.length)
              })
              for await (const piece of dataPieces({ affected_user: pages })) await write(piece)
              await write('\n')
            })
          await work({ found, members, print })
        }),
      ),
    )

async function* observed<T>(pages: AsyncIterable<T>, look: (page: T) => void) {
  for await (const page of pages) {
    look(page)
    yield page
  }
}
