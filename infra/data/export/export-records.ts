import { type SamlProvider, samlProviderShape, type User, userShape } from '../../../lib/domain/resources.ts'
import { isListed } from '../../../lib/domain/provider.ts'
import { type Item, userOf } from '../../../lib/store/items.ts'
import { allProviders } from '../../../lib/store/providers.ts'
import type { Data } from '../open-data.ts'
import { plainOf } from '../records/plain.ts'
import type { Dialect } from '../records/read.ts'
import { scanTable } from '../scan.ts'
import { kindOf } from '../table-item.ts'

export interface ExportOptions {
  dialect: Dialect
  /** `ndjson`: one record a line; `json`: one object in the form of the service's answers. */
  format: 'ndjson' | 'json'
}

/**
 * Writes the active providers by id, then all users in any order.
 *
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
  const list = listWriter(format, write, advance)
  const providers = await allProviders(data.table, signal)

  await list.open('{"data":{"saml_providers":[')
  await list.add(providers.filter(isListed).map(({ resource }) => encode(samlProviderShape, resource)))
  await list.open('],"users":[')
  await scanTable(
    data,
    items => list.add(items.filter(isUser).map(item => encode(userShape, userOf(item)))),
    signal,
  )
  await list.open(']}}\n')
  return providers.filter(provider => !isListed(provider)).map(({ resource }) => resource.id)
}

const isUser = (item: Item) => kindOf(item).kind === 'user'

function listWriter(
  format: ExportOptions['format'],
  write: (text: string) => Promise<void>,
  advance: (records: number) => void,
) {
  let isFirst = true
  return {
    /** Writes the JSON around the lists; NDJSON has none. */
    async open(text: string) {
      isFirst = true
      if (format === 'json') await write(text)
    },
    async add(records: string[]) {
      if (records.length === 0) return
      const text =
        format === 'ndjson' ? `${records.join('\n')}\n` : `${isFirst ? '' : ',\n'}${records.join(',\n')}`
      isFirst = false
      await write(text)
      advance(records.length)
    },
  }
}
