import type { Data } from '../open-data.ts'
import type { Report } from './report.ts'

/** What all parts of an import need. */
export interface Terms {
  data: Data
  /** Change users and providers in the table that differ from their records. */
  update: boolean
  /** Write nothing. */
  dryRun: boolean
  /** The ids of providers to which users may lose their link. */
  unlink: readonly number[]
  report: Report
  signal: AbortSignal
}
