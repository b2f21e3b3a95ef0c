import type { Log } from '../log.ts'
import type { Step } from './request.ts'

/** A log whose every line names the request, so that its story can be found again, and the function, which metrics go by. */
export const requestLog = ({ log }: { log: Log }): Step<{ log: Log }> => ({
  before: ({ event, context }) => {
    const common = { request_id: event.requestContext.requestId, function: context.functionName }
    event.log = (name, facts) => log(name, { ...common, ...facts })
  },
})
