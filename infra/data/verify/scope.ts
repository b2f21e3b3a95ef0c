import type { ShowPhase } from '../progress.ts'
import type { Data } from '../open-data.ts'

/** What verify reads. */
export interface Scope {
  data: Data
  phase: ShowPhase
  signal: AbortSignal
  /** The id of a provider: only it, its memberships and their users are read. */
  only?: number | undefined
}
