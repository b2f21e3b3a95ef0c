import { Failure, reasonOf } from '../domain/failure.ts'
import type { ProviderRecord } from '../domain/provider.ts'
import type { RemovalPorts, Run } from './ports.ts'
import { finishRemoval } from './remove-provider.ts'

/**
 * Finishes abandoned removals, which began longer ago than a request can take, one after the other. A removal that fails
 * does not stop the others. Logs how many are unfinished at the end.
 *
 * @param requestMaxMs maximum duration of a request, in milliseconds
 * @throws the first error that is not a Failure, after all removals were tried
 */
export async function finishRemovals(
  ports: RemovalPorts,
  requestMaxMs: number,
  { log, signal }: Run,
): Promise<void> {
  const { store, clock } = ports
  const ageMs = ({ removal }: ProviderRecord) => clock.nowMs() - (removal?.startedAtMs ?? 0)
  const errors: unknown[] = []
  const unfinished: ProviderRecord[] = []
  for (const provider of await store.removing(signal)) {
    if (ageMs(provider) > requestMaxMs) {
      try {
        await finishRemoval(ports, provider, { log, signal })
        continue
      } catch (error) {
        errors.push(error)
        if (error instanceof Failure && error.code === 'table_busy')
          log('table_busy', { reason: reasonOf(error) })
      }
    }
    unfinished.push(provider)
  }
  log('removals_checked', {
    unfinished: unfinished.length,
    oldest_age_seconds: Math.round(Math.max(0, ...unfinished.map(ageMs)) / 1000),
  })
  const bug = errors.find(error => !(error instanceof Failure))
  if (bug !== undefined) throw bug
}
