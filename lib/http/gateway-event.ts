import type { ApiRequest, Step } from './request.ts'

/**
 * Answers 500 to an event that API Gateway did not send, such as that of a call by hand. The other steps then get an event
 * with the id of the call alone.
 */
export const gatewayEvent = (): Step => ({
  before: request => {
    if (typeof request.event?.requestContext?.requestId === 'string') return
    const requestContext = { requestId: request.context.awsRequestId }
    request.event = { requestContext } as ApiRequest
    throw new TypeError('the event is none of API Gateway: it has no requestContext.requestId')
  },
})
