import { expect, test } from 'vitest'
import { sampleProvider, userId } from '../support/samples.ts'
import { type Plan, type Reply, withPlan } from '../support/test-client.ts'
import { worldOf } from './scenario.ts'

/** A world with provider 7 and three users. */
async function threeUsers() {
  const w = await worldOf(3)
  /** Sends a DELETE. @returns its answer, and how many users are linked after it */
  async function remove(plan: Plan = ({ send }) => send()) {
    const answer = await withPlan(plan, () => w.remove(7))
    const linked = (await w.items()).filter(item => item.saml_provider_id === 7)
    return { ...answer, linked: linked.length }
  }
  return { w, remove }
}
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
  const { remove } = await threeUsers()
  const seen = new Set<string>()
  const { status, ids, linked } = await remove(async ({ body, send }) => {
    const isAgain = seen.has(JSON.stringify(body))
    seen.add(JSON.stringify(body))
    return isAgain ? send() : breaks(await send())
  })
  // find, begin, members, their users, unlink, finish, users
  expect(seen.size).toBe(7)
  expect([status, ids(), linked]).toEqual([200, userIds, 0])
})

test('broken replies until the budget ends are table_busy, and nothing of them is in the log', async () => {
  const { w, remove } = await threeUsers()
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
  expect((await remove()).ids()).toEqual(userIds)
})
