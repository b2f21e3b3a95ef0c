import type { ApiRequest, Step } from './request.ts'

/**
 * Refuses an event that is none of API Gateway, as of a call by hand → 500. The other steps get an event that has no more
 * than an id, that of the call.
 */
export const gatewayEvent = (): Step => ({
  before: request => {
    if (typeof request.event?.requestContext?.requestId === 'string') return
    const requestContext = { requestId: request.context.awsRequestId }
    request.event = { requestContext } as ApiRequest
    throw new TypeError('the event is none of API Gateway: it has no requestContext.requestId')
  },
})
