import { Failure } from '../domain/failure.ts'

/** How far a removal has come. */
export interface Progress {
  affectedTotal: number
  unlinked: number
}

/** The error as the client is to be told it: what interrupts a removal says how far that has come. */
export function interrupted(error: unknown, progress: Progress): unknown {
  if (!(error instanceof Failure)) return error
  if (error.code === 'wait_expired') return new Failure('removal_unfinished', { ...progress }, error)
  if (error.code === 'table_busy') return new Failure('table_busy', { ...progress }, error)
  return error
}
