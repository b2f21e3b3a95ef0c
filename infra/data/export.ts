import { Option } from '@commander-js/extra-typings'
import { isListed } from '../../lib/domain/provider.ts'
import { type SamlProvider, samlProviderShape, type User, userShape } from '../../lib/domain/resources.ts'
import { type Item, userOf } from '../../lib/store/items.ts'
import { allProviders } from '../../lib/store/providers.ts'
import { defineDataCommand, interruptible } from './command.ts'
import { type Data, withData } from './open-data.ts'
import { say, write as writeOut } from './progress.ts'
import { plainOf } from './records/plain.ts'
import { scanTable } from './scan.ts'
import { kindOf } from './table-item.ts'

/** `document`: nullable values in the document's wrappers; `plain`: bare. */
type Dialect = 'document' | 'plain'

/**
 * Writes the active providers by id, then all users in any order.
 *
 * @internal
 * @param write awaited before more is read
 * @returns the ids of the other providers, which are left out
 */
export async function exportRecords(
  data: Data,
  dialect: Dialect,
  write: (text: string) => Promise<void>,
  signal: AbortSignal,
): Promise<number[]> {
  const encode = (shape: object, resource: SamlProvider | User) =>
    JSON.stringify(dialect === 'plain' ? plainOf(shape, resource) : resource)
  const add = async (records: string[]) => {
    if (records.length > 0) await write(`${records.join('\n')}\n`)
  }

  const providers = await allProviders(data.table, signal)
  await add(providers.filter(isListed).map(({ resource }) => encode(samlProviderShape, resource)))
  const isUser = (item: Item) => kindOf(item).kind === 'user'
  await data.phase('items', advance =>
    scanTable(
      data,
      async items => {
        await add(items.filter(isUser).map(item => encode(userShape, userOf(item))))
        advance(items.length)
      },
      signal,
    ),
  )
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
      const leftOut = await withData(table, signal, data => exportRecords(data, dialect, writeOut, signal))
      if (leftOut.length > 0)
        say(`Left out, because they are being removed or were removed: the providers ${leftOut.join(', ')}.`)
    }),
  )
