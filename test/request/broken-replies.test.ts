import { expect, test } from 'vitest'
import { sampleProvider, userId } from '../support/samples.ts'
import { type Plan, type Reply, withPlan } from '../support/test-client.ts'
import { worldOf } from './scenario.ts'

const userIds = [0, 1, 2].map(userId)

const replacedBy =
  (text: string, statusCode = 200) =>
  (reply: Reply): Reply => ({ ...reply, statusCode, body: Buffer.from(text) })

/** The ways in which a faulty network or proxy changes a reply. */
const broken: [string, (reply: Reply) => Reply][] = [
  ['loses its body', reply => ({ ...reply, body: Buffer.alloc(0) })],
  ['loses its second half', reply => ({ ...reply, body: reply.body.subarray(0, reply.body.length >> 1) })],
  ['is an HTML page with status 503', replacedBy('<html>503 Service Unavailable</html>', 503)],
  ['is `{}`', replacedBy('{}')],
  ['is `null`', replacedBy('null')],
]

test.each(broken)('a DELETE completes when the first reply to each of its calls %s', async (_, breaks) => {
  const w = await worldOf(3)
  const seen = new Set<string>()
  const breaking: Plan = async ({ body, send }) => {
    const isAgain = seen.has(JSON.stringify(body))
    seen.add(JSON.stringify(body))
    return isAgain ? send() : breaks(await send())
  }
  expect((await withPlan(breaking, () => w.remove(7))).ids()).toEqual(userIds)
  // find, begin, members, unlink, finish, users
  expect(seen.size).toBe(6)
  expect((await w.items()).filter(item => item.saml_provider_id === 7)).toEqual([])
})

test('broken replies are table_busy in the end, without their text in the log', async () => {
  const w = await worldOf(3)
  await w.putProvider({ ...sampleProvider(8), name: 'Ada' })
  const breaking: Plan = async ({ send }) => {
    const reply = await send()
    return { ...reply, headers: {}, body: reply.body.subarray(0, -20) }
  }
  for (const send of [() => w.remove(7), () => w.list({ token: w.token({ sub: userId(1) }) })]) {
    const { status, json } = await withPlan(breaking, send)
    expect([status, json().code]).toEqual([503, 'table_busy'])
  }
  const reasons = w.loggedAs('table_busy').map(({ reason }) => reason)
  expect(reasons).toEqual(Array(2).fill('the reply of DynamoDB cannot be read'))
  expect((await w.remove(7)).ids()).toEqual(userIds)
})
