import type { ApiRequest, Step } from './request.ts'

/**
 * Answers 500 to an event that no REST API sent: the credentials in it would not be found. The other steps then get an event
 * with the id of the call alone.
 */
export const gatewayEvent = (): Step => ({
  before: request => {
    const id = request.event?.requestContext?.requestId
    if (typeof id === 'string' && request.event.multiValueHeaders !== undefined) return
    const requestContext = { requestId: request.context.awsRequestId }
    request.event = { requestContext } as ApiRequest
    throw new TypeError(
      'the event lacks requestContext.requestId or multiValueHeaders: it is none of a REST API, but of an HTTP API, a load balancer or a call by hand',
    )
  },
})
