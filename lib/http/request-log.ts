import type { Log } from '../log.ts'
import { step } from './request.ts'

/** A log whose every line names the request, so that one request's story can be found again. */
export const requestLog = ({ log }: { log: Log }) =>
  step<{ log: Log }>(event => {
    const { requestId } = event.requestContext
    event.log = (name, facts) => log(name, { request_id: requestId, ...facts })
  })
