import type { Deps } from '../lib/deps.ts'
import { onSchedule } from '../lib/lambda.ts'
import { scheduled } from '../lib/schedule.ts'

/** On a schedule: finishes abandoned removals, and reports how many are unfinished. */
export const finishRemovals = (deps: Deps) => scheduled(deps, run => deps.finishRemovals(run))

export const handler = onSchedule(finishRemovals)
