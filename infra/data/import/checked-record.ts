import type { SamlProvider } from '../../../lib/domain/resources.ts'
import type { Item } from '../../../lib/store/items.ts'

/** A checked record of the input. */
export interface CheckedRecord {
  place: string
  /** As it will be stored. */
  item: Item
  /** The fields that it does not mention; undefined for none. */
  leftOut?: string[]
  /** The record as it was read; undefined when nobody asked for it. */
  given?: unknown
}

export interface ProviderEntry extends CheckedRecord {
  provider: SamlProvider
}
