import { Option } from '@commander-js/extra-typings'
import { isListed } from '../../lib/domain/provider.ts'
import { type SamlProvider, samlProviderShape, type User, userShape } from '../../lib/domain/resources.ts'
import { type Item, userOf } from '../../lib/store/items.ts'
import { allProviders } from '../../lib/store/providers.ts'
import { defineDataCommand } from './command.ts'
import { openDisplay } from './display.ts'
import { interruptible } from './interruptible.ts'
import { type Data, withData } from './open-data.ts'
import { plainOf } from './records/plain.ts'
import type { Dialect } from './records/read.ts'
import { scanTable } from './scan.ts'
import { kindOf } from './table-item.ts'
import { write as writeOut } from './write.ts'

interface ExportOptions {
  dialect: Dialect
  /** `ndjson`: one record a line; `json`: one object in the form of the service's answers. */
  format: 'ndjson' | 'json'
}

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
  { dialect, format }: ExportOptions,
  write: (text: string) => Promise<void>,
  advance: (records: number) => void,
  signal: AbortSignal,
): Promise<number[]> {
  const encode = (shape: object, resource: SamlProvider | User) =>
    JSON.stringify(dialect === 'plain' ? plainOf(shape, resource) : resource)
  let isFirst = true
  /** Writes the JSON around the lists; NDJSON has none. */
  const open = async (text: string) => {
    isFirst = true
    if (format === 'json') await write(text)
  }
  const add = async (records: string[]) => {
    if (records.length === 0) return
    const before = isFirst ? '' : ',\n'
    isFirst = false
    await write(format === 'ndjson' ? `${records.join('\n')}\n` : before + records.join(',\n'))
    advance(records.length)
  }

  const providers = await allProviders(data.table, signal)
  await open('{"data":{"saml_providers":[')
  await add(providers.filter(isListed).map(({ resource }) => encode(samlProviderShape, resource)))
  await open('],"users":[')
  const isUser = (item: Item) => kindOf(item).kind === 'user'
  const addUsers = (items: Item[]) => add(items.filter(isUser).map(item => encode(userShape, userOf(item))))
  await scanTable(data, addUsers, signal)
  await open(']}}\n')
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
  .addOption(
    new Option('--format <NAME>', 'ndjson: one record per line; json: one object.')
      .choices(['ndjson', 'json'] as const)
      .default('ndjson' as const),
  )
  .action(({ table, ...options }) =>
    interruptible(async signal => {
      const { say, phase } = openDisplay()
      const leftOut = await withData(table, signal, data =>
        phase('records', undefined, advance => exportRecords(data, options, writeOut, advance, signal)),
      )
      if (leftOut.length > 0)
        say(`Left out, because they are being removed or were removed: the providers ${leftOut.join(', ')}.`)
    }),
  )
