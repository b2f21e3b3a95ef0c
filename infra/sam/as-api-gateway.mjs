import { randomUUID } from 'node:crypto'

/**
 * Wraps a function in SAM CLI's containers and corrects two differences of `sam local start-api` from API Gateway.
 *
 * SAM CLI gives every request the id and time of its own start (aws-sam-cli, issues 9279 and 8020). Here each request gets
 * its own, because the time counts towards the request's budget.
 *
 * SAM CLI decodes a base64 body, such as a compressed answer, only when the client's Accept names its media type. For other
 * clients Accept-Encoding is removed.
 */
export const asApiGateway = handle => (event, context) => {
  const own = { requestId: randomUUID(), requestTimeEpoch: Date.now() }
  const asked = { ...event, requestContext: { ...event.requestContext, ...own } }
  return handle(isDecodedFor(event) ? asked : withoutCodings(asked), context)
}

/** Whether SAM CLI decodes base64 for this client. It ignores an Accept with weights. */
const isDecodedFor = ({ headers: { Accept = '' } }) =>
  !Accept.includes(';') &&
  Accept.split(',').some(type => /^(\*\/\*|application\/(\*|json))$/i.test(type.trim()))

const withoutCodings = event => ({
  ...event,
  headers: withoutAcceptEncoding(event.headers),
  multiValueHeaders: withoutAcceptEncoding(event.multiValueHeaders),
})

const withoutAcceptEncoding = ({ 'Accept-Encoding': _, ...others }) => others
