import { describe, expect, test } from 'vitest'
import { removalStore } from '../../lib/store/removals.ts'
import { openTable } from '../../lib/store/table.ts'
import { type Links, sampleProvider, sampleUser, userId } from '../support/samples.ts'
import { outputOf, type Plan, replyOf, withPlan } from '../support/test-client.ts'
import { world } from '../support/world.ts'

const never = new AbortController().signal
const provider = sampleProvider(7, 70)
type Outcome = { Error?: { Code: string } }

/** Lets each outcome of DynamoDB's replies be another. */
const eachOutcome =
  (change: (outcome: Outcome) => Outcome): Plan =>
  async ({ operation, send }) => {
    const reply = await send()
    if (operation !== 'BatchExecuteStatement') return reply
    return replyOf({ Responses: outputOf(reply).Responses.map(change) })
  }

/** Unlinks users with these links. @returns the numbers of calls, and who is still linked */
async function unlink(links: Links[], plan: Plan = ({ send }) => send()) {
  const w = await world()
  const users = links.map((link, n) => sampleUser(n, link))
  await w.putProvider(provider, users)
  const sent: Record<string, number> = {}
  const counting: Plan = call => {
    sent[call.operation] = (sent[call.operation] ?? 0) + 1
    return plan(call)
  }
  const clear = removalStore(openTable(w.client, w.tableName, w.clock)).unlinker(provider)
  const ids = users.map(({ id }) => id)
  await withPlan(counting, () => w.clock.moving(clear(ids, w.clock.nowMs(), never)))
  const linked = (await w.items()).filter(
    ({ SK, saml_provider_id, sso_provider_id }) =>
      SK === 'USER' && (saml_provider_id === 7 || sso_provider_id === 70),
  )
  return { sent, linked }
}

const of = (count: number, link: Links) => Array.from({ length: count }, () => link)

describe('users are unlinked', () => {
  test.each<[string, Links[], object]>([
    ['that are linked both ways, with one call', of(25, { saml: 7, sso: 70 }), { BatchExecuteStatement: 1 }],
    [
      'that are linked by the SSO id, with two after a read',
      of(25, { sso: 70 }),
      { BatchExecuteStatement: 2, BatchGetItem: 1 },
    ],
    [
      'that are linked in all ways or not at all, with two after a read',
      [{}, { saml: 7 }, { sso: 70 }, { saml: 7, sso: 70 }, { saml: 8, sso: 80 }],
      { BatchExecuteStatement: 2, BatchGetItem: 1 },
    ],
  ])('%s', async (_, links, calls) => {
    expect(await unlink(links)).toEqual({ sent: calls, linked: [] })
  })

  test('by the next call when their updates end with an error that passes', async () => {
    const codes = [
      'InternalServerError',
      'ProvisionedThroughputExceeded',
      'RequestLimitExceeded',
      'ThrottlingError',
      'TransactionConflict',
    ]
    let batches = 0
    const firstOnly: Plan = async ({ operation, body, send }) => {
      if (operation !== 'BatchExecuteStatement' || ++batches > 1) return send()
      const [first] = body.Statements as object[]
      const { Responses } = outputOf(await send({ Statements: [first] }))
      const errors = codes.map(Code => ({ Error: { Code } }))
      return replyOf({ Responses: [...Responses, ...errors] })
    }
    expect(await unlink(of(1 + codes.length, { saml: 7, sso: 70 }), firstOnly)).toEqual({
      sent: { BatchExecuteStatement: 2 },
      linked: [],
    })
  })
})

test.each(['ValidationError', 'Unknown'])(
  'a statement that fails with %s ends the unlinking with that error, which names the user',
  async Code => {
    const refused = unlink(
      [{ saml: 7 }],
      eachOutcome(() => ({ Error: { Code } })),
    )
    await expect(refused).rejects.toMatchObject({
      name: `${Code}Exception`,
      message: expect.stringContaining(userId(0)),
    })
  },
)

test('a user whom the table always refuses to unlink ends as table_busy', async () => {
  let calls = 0
  const refusing: Plan = async ({ operation, send }) => {
    if (operation !== 'BatchExecuteStatement') return send()
    calls += 1
    return replyOf({ Responses: [{ Error: { Code: 'ConditionalCheckFailed' } }] })
  }
  await expect(unlink([{ saml: 7 }], refusing)).rejects.toMatchObject({ code: 'table_busy' })
  expect(calls).toBe(3)
})
