import type { Field } from '../../lib/domain/fields.ts'
import { isOpen, type ProviderRecord } from '../../lib/domain/provider.ts'
import { type SamlProvider, samlProviderShape, type User, userShape } from '../../lib/domain/resources.ts'
import { type Item, providerRecordOf, userOf } from '../../lib/store/items.ts'
import { providerIdOf } from '../../lib/store/keys.ts'
import { defineDataCommand, interruptible } from './command.ts'
import { storedProviders } from './table/linked-providers.ts'
import { type Data, withData } from './open-data.ts'
import { say, write as writeOut } from './progress.ts'
import { encodeField } from './table/items.ts'
import { scanTable } from './table/scan.ts'
import { kindOf } from './table/table-item.ts'

type Shape = Readonly<Record<string, Field<unknown>>>

/** Encodes a resource with bare values: every field, null for an absent one. @internal */
export function plainOf(shape: object, shown: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(shape as Shape).map(([name, field]) => [name, plainField(field, shown[name])]),
  )
}

function plainField(field: Field<unknown>, shown: unknown): unknown {
  if (field.nested === undefined) return encodeField(field, shown) ?? null
  const { shape, isList } = field.nested
  if (shown === undefined) return null
  return isList
    ? (shown as Record<string, unknown>[]).map(element => plainOf(shape, element))
    : plainOf(shape, shown as Record<string, unknown>)
}

/**
 * Writes the providers that are active or importing by id, then all users in any order.
 *
 * @internal
 * @param write awaited before more is read
 * @returns the other providers, which are left out
 * @throws Error of one sentence, after all else is written, when nobody knows whether a provider is removed
 */
export async function exportRecords(
  data: Data,
  write: (text: string) => Promise<void>,
  signal: AbortSignal,
): Promise<ProviderRecord[]> {
  const encode = (shape: object, resource: SamlProvider | User) => JSON.stringify(plainOf(shape, resource))
  const add = async (records: string[]) => {
    if (records.length > 0) await write(`${records.join('\n')}\n`)
  }

  const stored = await storedProviders(data.table, signal)
  const providers = stored.flatMap(item => providerRecordOf(item) ?? [])
  await add(providers.filter(isOpen).map(({ resource }) => encode(samlProviderShape, resource)))
  const isUser = (item: Item) => kindOf(item).kind === 'user'
  const addUsers = (items: Item[]) => add(items.filter(isUser).map(item => encode(userShape, userOf(item))))
  await scanTable(data, addUsers, signal)
  const stateless = stored.filter(item => providerRecordOf(item) === undefined).map(providerIdOf)
  if (stateless.length > 0)
    throw new Error(
      `Left out, because their state is unknown: the providers ${stateless.join(', ')}. verify shows them.`,
    )
  return providers.filter(provider => !isOpen(provider))
}

export const exportCommand = defineDataCommand(
  'export',
  'Prints all providers that are not removed, and all users, in the format of import: each value, or null.',
  ' > records.ndjson',
).action(({ table }) =>
  interruptible(async signal => {
    const leftOut = await withData(table, signal, data => exportRecords(data, writeOut, signal))
    const idsOf = (providers: ProviderRecord[]) => providers.map(({ resource }) => resource.id)
    if (leftOut.length > 0)
      say(
        `Left out, because they are being removed, or were removed: the providers ${idsOf(leftOut).join(', ')}.`,
      )
    for (const id of idsOf(leftOut.filter(({ state }) => state === 'removing')))
      say(
        `The removal of provider ${id} is under way, and users are still linked to it: finish it first (send the same DELETE), or import with --unlink ${id}.`,
      )
  }),
)
