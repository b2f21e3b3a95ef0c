import type { Data } from '../open-data.ts'
import type { LinkTargets } from './targets.ts'

/** The context of the writes of an import. */
export interface Terms {
  data: Data
  targets: LinkTargets
  /** Only read. */
  isTrial: boolean
  /** Change users and providers in the table that differ from their records. */
  update: boolean
  signal: AbortSignal
}
