import { expect, test } from 'vitest'
import { sampleProvider, sampleUser, userId } from '../support/samples.ts'
import { type RawReply, tapWire } from '../support/test-client.ts'
import { type World, world } from '../support/world.ts'

/** A world in which `wire.change` replaces DynamoDB's replies. */
async function tapped() {
  const w = await world()
  const wire = { change: (reply: RawReply, _: string) => reply, calls: 0 }
  tapWire(w.client, (reply, operation) => {
    wire.calls += 1
    return wire.change(reply, operation)
  })
  return { w, wire }
}

async function fill(w: World, id: number) {
  const users = [1, 2, 3].map(n => sampleUser(id * 10 + n, { saml: id }))
  await w.putProvider(sampleProvider(id), users)
  return users.map(user => user.id)
}

type Output = { Item?: unknown; Items?: unknown[]; Responses?: unknown[] | Record<string, unknown[]> }

/** Changes the first reply of each operation. */
function breakingOnce(change: (output: Output) => void) {
  const broken = new Set<string>()
  return (reply: RawReply, operation: string): RawReply => {
    if (broken.has(operation)) return reply
    broken.add(operation)
    const output = JSON.parse(String(reply.body))
    change(output)
    return { ...reply, headers: {}, body: Buffer.from(JSON.stringify(output)) }
  }
}

const linkedTo = async (w: World, id: number) =>
  (await w.items()).filter(item => item.saml_provider_id === id).length

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
    const { w, wire } = await tapped()
    const userIds = await fill(w, 7)
    wire.calls = 0
    // Every second reply: that of each call to its first attempt.
    wire.change = reply => (wire.calls % 2 === 1 ? breaks(reply) : reply)
    const answer = await w.remove(7)
    // caller, find, begin, members, unlink, mark, finish, users
    expect(wire.calls).toBeGreaterThanOrEqual(2 * 8 - 1)
    wire.change = reply => reply
    expect([answer.status, answer.ids(), await linkedTo(w, 7)]).toEqual([200, userIds, 0])
  },
)

test('when replies are broken until the budget ends, the answer is table_busy', async () => {
  const { w, wire } = await tapped()
  const userIds = await fill(w, 7)
  wire.change = replacedBy('{}')
  for (const send of [() => w.remove(7), () => w.list({ token: w.token({ sub: userId(1) }) })]) {
    const { status, json } = await send()
    expect([status, json().code]).toEqual([503, 'table_busy'])
  }
  wire.change = reply => reply
  expect((await w.remove(7)).ids()).toEqual(userIds)
})

const ofABatch = (change: (outcomes: unknown[], output: Output) => void) => (output: Output) => {
  if (Array.isArray(output.Responses)) change(output.Responses, output)
}

test.each<[string, (output: Output) => void]>([
  ['fewer outcomes than statements', ofABatch(outcomes => outcomes.shift())],
  ['no outcomes', ofABatch((_, output) => delete output.Responses)],
])('a reply with %s is asked for again', async (_, change) => {
  const { w, wire } = await tapped()
  const userIds = await fill(w, 7)
  wire.change = breakingOnce(change)
  expect((await w.list()).json().data.saml_providers).toEqual([sampleProvider(7)])
  wire.change = breakingOnce(change)
  const affected = (await w.remove(7)).ids()
  wire.change = reply => reply
  expect([affected, await linkedTo(w, 7)]).toEqual([userIds, 0])
})

test('the log entry of a broken reply does not contain its text', async () => {
  const { w, wire } = await tapped()
  await w.putProvider({ ...sampleProvider(7), name: 'Ada' })
  wire.change = (reply, operation) =>
    operation === 'Query' ? { ...reply, headers: {}, body: reply.body.subarray(0, -20) } : reply
  expect((await w.list()).status).toBe(503)
  expect(w.logged).toContainEqual(
    expect.objectContaining({ event: 'table_busy', reason: 'the reply of DynamoDB cannot be read' }),
  )
})
