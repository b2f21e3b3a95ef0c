import { randomUUID } from 'node:crypto'

/**
 * Stands before a function in SAM CLI's containers and makes up for two things that `sam local start-api` does otherwise
 * than API Gateway.
 *
 * It gives every request the id and the time of its own start (aws-sam-cli, issues 9279 and 8020): each gets its own, as
 * the time counts towards the request's budget.
 *
 * It decodes a base64 body, which a compressed answer is, only for a client whose Accept names the answer's media type:
 * to others the function offers no compression.
 */
export const asApiGateway = handle => (event, context) => {
  const own = { requestId: randomUUID(), requestTimeEpoch: Date.now() }
  const asked = { ...event, requestContext: { ...event.requestContext, ...own } }
  return handle(isDecodedFor(event) ? asked : withoutCodings(asked), context)
}

/** Header names and values as SAM CLI's server writes them. With weights in it, an Accept counts as none. */
const isDecodedFor = ({ headers: { Accept = '' } }) =>
  !Accept.includes(';') &&
  Accept.split(',').some(type => /^(\*\/\*|application\/(\*|json))$/i.test(type.trim()))

const withoutCodings = event => ({
  ...event,
  headers: withoutAcceptEncoding(event.headers),
  multiValueHeaders: withoutAcceptEncoding(event.multiValueHeaders),
})

const withoutAcceptEncoding = ({ 'Accept-Encoding': _, ...others }) => others
