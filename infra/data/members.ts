import { InvalidArgumentError, Option } from '@commander-js/extra-typings'
import { parseProviderId, type ProviderRecord } from '../../lib/domain/provider.ts'
import type { User } from '../../lib/domain/resources.ts'
import { dataPieces } from '../../lib/http/envelope.ts'
import { affectedUsers } from '../../lib/removal/affected.ts'
import type { Member } from '../../lib/removal/ports.ts'
import { findProvider } from '../../lib/store/providers.ts'
import { removalStore } from '../../lib/store/removals.ts'
import { openDisplay } from './display.ts'
import { withData } from './open-data.ts'
import { write } from './write.ts'

export const providerOption = new Option('--provider <ID>', 'The id of the SAML provider.')
  .argParser(text => {
    const id = parseProviderId(text)
    if (id === undefined) throw new InvalidArgumentError('It must be a number such as 7.')
    return id
  })
  .makeOptionMandatory()

interface Typed {
  table: string
  provider: number
}

/** A provider and its members, for commands that print them. */
interface Members {
  found: ProviderRecord
  members: Member[]
  /** Writes a line to standard error. */
  say(line: string): void
  /** Prints the members as a DELETE's answer. @param look called with each page of users */
  print(look?: (page: User[]) => void): Promise<void>
}

/**
 * Finds a provider and its members.
 *
 * @throws Error of one sentence
 */
export function withMembers(
  { table, provider: providerId }: Typed,
  signal: AbortSignal,
  work: (members: Members) => Promise<void>,
): Promise<void> {
  return withData(table, async data => {
    const found = await findProvider(data.table, providerId, signal)
    if (found === undefined)
      throw new Error(`There is no provider ${providerId} in ${table}, or nothing is left of it.`)
    const store = removalStore(data.table)
    const members = await store.members(providerId, signal)
    const { say, phase } = openDisplay()
    const print: Members['print'] = (look = () => {}) =>
      phase('users', members.length, async advance => {
        const pages = observed(affectedUsers(store, members, signal), page => {
          look(page)
          advance(page.length)
        })
        for await (const piece of dataPieces({ affected_user: pages })) await write(piece)
        await write('\n')
      })
    await work({ found, members, say, print })
  })
}

async function* observed<T>(pages: AsyncIterable<T>, look: (page: T) => void) {
  for await (const page of pages) {
    look(page)
    yield page
  }
}
