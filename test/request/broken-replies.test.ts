import { expect, test } from 'vitest'
import { sampleProvider, userId } from '../support/samples.ts'
import { type RawReply, tapWire } from '../support/test-client.ts'
import { worldOf } from './scenario.ts'

/** A world with provider 7 and three users, in which `wire.change` replaces DynamoDB's replies. */
async function tapped() {
  const w = await worldOf(3)
  const wire = { change: (reply: RawReply, _: string) => reply, calls: 0 }
  tapWire(w.client, (reply, operation) => {
    wire.calls += 1
    return wire.change(reply, operation)
  })
  /** Sends a DELETE. @returns its answer, and how many users are linked after it */
  async function remove() {
    const answer = await w.remove(7)
    wire.change = reply => reply
    const linked = (await w.items()).filter(item => item.saml_provider_id === 7)
    return { ...answer, linked: linked.length }
  }
  return { w, wire, remove }
}
const userIds = [0, 1, 2].map(userId)

const replacedBy =
  (text: string, statusCode = 200) =>
  (reply: RawReply): RawReply => ({ ...reply, statusCode, body: Buffer.from(text) })

/** The ways in which a faulty network or proxy changes a reply. */
const broken: [string, (reply: RawReply) => RawReply][] = [
  ['loses its body', reply => ({ ...reply, body: Buffer.alloc(0) })],
  ['loses its second half', reply => ({ ...reply, body: reply.body.subarray(0, reply.body.length >> 1) })],
  ['is an HTML page with status 503', replacedBy('<html>503 Service Unavailable</html>', 503)],
  ['is `{}`', replacedBy('{}')],
  ['is `null`', replacedBy('null')],
]

test.each(broken)(
  'when each reply of DynamoDB once %s, a DELETE repeats the call and completes',
  async (_, breaks) => {
    const { wire, remove } = await tapped()
    // Every second reply: that of each call to its first attempt.
    wire.change = reply => (wire.calls % 2 === 1 ? breaks(reply) : reply)
    const { status, ids, linked } = await remove()
    // caller, find, begin, members, unlink, mark, finish, users
    expect(wire.calls).toBeGreaterThanOrEqual(2 * 8 - 1)
    expect([status, ids(), linked]).toEqual([200, userIds, 0])
  },
)

test.each([
  ['fewer outcomes than statements', (outcomes: object[]) => outcomes.slice(1)],
  ['no outcomes', () => undefined],
])('a batch whose first reply has %s is sent again', async (_, change) => {
  const { wire, remove } = await tapped()
  let isBroken = false
  wire.change = (reply, operation) => {
    if (isBroken || operation !== 'BatchExecuteStatement') return reply
    isBroken = true
    const { Responses } = JSON.parse(String(reply.body))
    const body = Buffer.from(JSON.stringify({ Responses: change(Responses) }))
    return { ...reply, headers: {}, body }
  }
  const { ids, linked } = await remove()
  expect([isBroken, ids(), linked]).toEqual([true, userIds, 0])
})

test('when replies are broken until the budget ends, the answer is table_busy, and the log has nothing of them', async () => {
  const { w, wire, remove } = await tapped()
  await w.putProvider({ ...sampleProvider(8), name: 'Ada' })
  wire.change = reply => ({ ...reply, headers: {}, body: reply.body.subarray(0, -20) })
  for (const send of [() => w.remove(7), () => w.list({ token: w.token({ sub: userId(1) }) })]) {
    const { status, json } = await send()
    expect([status, json().code]).toEqual([503, 'table_busy'])
  }
  const reasons = w.loggedAs('table_busy').map(({ reason }) => reason)
  expect(reasons).toEqual(Array(2).fill('the reply of DynamoDB cannot be read'))
  wire.change = reply => reply
  expect((await remove()).ids()).toEqual(userIds)
})
