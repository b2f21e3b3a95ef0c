import type { Key } from '../../lib/store/keys.ts'
import type { WireItem } from './wire.ts'

/** The key attributes of every table of this engine. */
const keyNames: (keyof Key)[] = ['PK', 'SK']

export const keyOf = (item: WireItem): WireItem =>
  Object.fromEntries(keyNames.flatMap(name => (item[name] === undefined ? [] : [[name, item[name]]])))
