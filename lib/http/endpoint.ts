import middy from '@middy/core'
import type { Clock } from '../time.ts'
import type { Config } from '../config.ts'
import type { Log } from '../log.ts'
import { accessLog } from './access-log.ts'
import { answer } from './answer.ts'
import type { Data } from './envelope.ts'
import { gatewayEvent } from './gateway-event.ts'
import type { ApiContext, ApiRequest } from './request.ts'
import { waitBudget } from './wait-budget.ts'

/** The pipeline of every endpoint. middy's early time-out is off: the request's budget is the limit until its first byte. */
export const endpoint = (deps: { clock: Clock; config: Config; log: Log }) =>
  middy<ApiRequest, Data, Error, ApiContext>({ timeoutEarlyInMillis: 0 })
    .use(gatewayEvent()) // an event of another kind of API → 500
    .use(accessLog(deps)) // the request's log, and one line per answer
    .use(waitBudget(deps)) // `Prefer: wait` → one deadline for all that comes before the first byte of the answer
    .use(answer(deps)) // the result → `data`; an error → application/problem+json; common headers
