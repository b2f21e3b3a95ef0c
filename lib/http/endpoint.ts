import type { Clock } from '../time.ts'
import type { Config } from '../config.ts'
import type { Log } from '../log.ts'
import { accessLog } from './access-log.ts'
import { answer } from './answer.ts'
import { sunset } from './deprecation.ts'
import { pipeline } from './request.ts'
import { waitBudget } from './wait-budget.ts'

/** What every request goes through, whatever it asks for. */
export const endpoint = (deps: { clock: Clock; config: Config; log: Log }) =>
  pipeline()
    .use(accessLog(deps)) // one line for each answer, and the log of all that follows
    .use(waitBudget(deps)) // `Prefer: wait` → one deadline for all that follows, the writing of the answer included
    .use(answer(deps)) // the result → `data`; a failure → application/problem+json; the common headers on both
    .use(sunset(deps)) // retired → 410
