import { expect, test } from 'vitest'
import { apiRequest } from '../support/api-request.ts'
import { lines, untouched } from './scenario.ts'

const service = untouched({ RESPONSE_TRANSFER_MODE: 'BUFFERED' })
const resource = '/saml/{id}'
const context = { awsRequestId: 'call-1', functionName: 'the-function' }

/** The answers of both functions to an event, as Lambda gives it to them. */
async function answersTo(event: unknown) {
  const answers = await service().answersTo(() => structuredClone(event), context)
  return answers.map(({ statusCode, headers, body }) => ({ statusCode, headers, ...JSON.parse(body) }))
}

const valid = (headers = lines(`Bearer ${service().token()}`)) =>
  apiRequest({ resource, pathParameters: { id: '99' }, headers }, service().clock.nowMs())

const values = [
  undefined,
  null,
  '',
  'x',
  7,
  true,
  [],
  ['x'],
  [null],
  {},
  { id: 7 },
  { Prefer: null },
  { Prefer: [7] },
]

test('an event that is none of a REST API is an internal error, whose cause is in the log', async () => {
  const { requestContext: _, ...rest } = valid()
  const contexts = values.map(requestContext => ({ ...rest, requestContext }))
  const { multiValueHeaders: __, ...ofHttpApi } = valid()
  const { logged } = service()
  for (const event of [...values, rest, ...contexts, ofHttpApi]) {
    logged.length = 0
    for (const { headers, ...answer } of await answersTo(event)) {
      expect(answer, JSON.stringify(event)).toMatchObject({ statusCode: 500, code: 'internal_error' })
      expect([answer.request_id, headers['X-Request-Id']]).toEqual(['call-1', 'call-1'])
    }
    const ids = { request_id: 'call-1', function: 'the-function' }
    const lines = [
      { event: 'unexpected_error', message: expect.stringContaining('none of a REST API'), ...ids },
      { event: 'request_answered', ...ids },
    ]
    expect(logged).toMatchObject([...lines, ...lines])
  }
})

test.each(['event', 'requestContext'] as const)(
  'a malformed member of %s shows nobody anything',
  async of => {
    const whole = valid(lines())
    const names = Object.keys(of === 'event' ? whole : whole.requestContext)
    for (const name of names)
      for (const value of values) {
        const part = { ...(of === 'event' ? whole : whole.requestContext), [name]: value }
        const event = of === 'event' ? part : { ...whole, requestContext: part }
        for (const { statusCode } of await answersTo(event))
          expect([401, 500], `${name}: ${JSON.stringify(value)}`).toContain(statusCode)
      }
  },
)
