import { Option } from '@commander-js/extra-typings'
import { isListed } from '../../lib/domain/provider.ts'
import { type SamlProvider, samlProviderShape, type User, userShape } from '../../lib/domain/resources.ts'
import { type Item, userOf } from '../../lib/store/items.ts'
import { allProviders } from '../../lib/store/providers.ts'
import { defineDataCommand } from './command.ts'
import { interruptible } from './interruptible.ts'
import { type Data, withData } from './open-data.ts'
import { say, showPhase } from './progress.ts'
import { plainOf } from './records/plain.ts'
import { scanTable } from './scan.ts'
import { kindOf } from './table-item.ts'
import { write as writeOut } from './write.ts'

/** `document`: nullable values in the document's wrappers; `plain`: bare. */
type Dialect = 'document' | 'plain'

/**
 * Writes the active providers by id, then all users in any order.
 *
 * @internal
 * @param write awaited before more is read
 * @param advance called with the number of records written
 * @returns the ids of the other providers, which are left out
 */
export async function exportRecords(
  data: Data,
  dialect: Dialect,
  write: (text: string) => Promise<void>,
  advance: (records: number) => void,
  signal: AbortSignal,
): Promise<number[]> {
  const encode = (shape: object, resource: SamlProvider | User) =>
    JSON.stringify(dialect === 'plain' ? plainOf(shape, resource) : resource)
  const add = async (records: string[]) => {
    if (records.length === 0) return
    await write(`${records.join('\n')}\n`)
    advance(records.length)
  }

  const providers = await allProviders(data.table, signal)
  await add(providers.filter(isListed).map(({ resource }) => encode(samlProviderShape, resource)))
  const isUser = (item: Item) => kindOf(item).kind === 'user'
  const addUsers = (items: Item[]) => add(items.filter(isUser).map(item => encode(userShape, userOf(item))))
  await scanTable(data, addUsers, signal)
  return providers.filter(provider => !isListed(provider)).map(({ resource }) => resource.id)
}

export const exportCommand = defineDataCommand(
  'export',
  'Prints all providers that are not removed, and all users, in the format of import.',
  ' > records.ndjson',
)
  .addOption(
    new Option(
      '--dialect <NAME>',
      "document: the service's own, with nullable wrappers; plain: values or null.",
    )
      .choices(['document', 'plain'] as const)
      .default('document' as const),
  )
  .action(({ table, dialect }) =>
    interruptible(async signal => {
      const leftOut = await withData(table, signal, data =>
        showPhase('records', advance => exportRecords(data, dialect, writeOut, advance, signal)),
      )
      if (leftOut.length > 0)
        say(`Left out, because they are being removed or were removed: the providers ${leftOut.join(', ')}.`)
    }),
  )
