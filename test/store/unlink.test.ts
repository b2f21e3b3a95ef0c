import { describe, expect, test } from 'vitest'
import { removalStore } from '../../lib/store/removals.ts'
import { openTable } from '../../lib/store/table.ts'
import { userKey } from '../../lib/store/keys.ts'
import { type Links, sampleProvider, sampleUser, userId } from '../support/samples.ts'
import { type Plan, withPlan } from '../removal/faults.ts'
import { world } from '../support/world.ts'

const never = new AbortController().signal
const provider = sampleProvider(7, 70)
type Batch = { Responses: { Error?: { Code: string; Item?: object } }[] }

/**
 * Unlinks users with these links.
 *
 * @param change can alter DynamoDB's reply to each batch
 * @param plan can alter what DynamoDB gets
 */
async function unlink(
  links: Links[],
  change: (batch: Batch) => Batch = batch => batch,
  plan: Plan = ({ send }) => send(),
) {
  const w = await world()
  const users = links.map((link, n) => sampleUser(n, link))
  await w.putProvider(provider, users)
  const sent: Record<string, number> = {}
  const counting: Plan = async call => {
    const { operation } = call
    sent[operation] = (sent[operation] ?? 0) + 1
    const { output } = await plan(call)
    return { output: operation === 'BatchExecuteStatement' ? change(output as Batch) : output }
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
    ['that are linked by the SSO id, with two', of(25, { sso: 70 }), { BatchExecuteStatement: 2 }],
    [
      'that are linked in all ways or not at all, with two',
      [{}, { saml: 7 }, { sso: 70 }, { saml: 7, sso: 70 }, { saml: 8, sso: 80 }],
      { BatchExecuteStatement: 2 },
    ],
  ])('%s', async (_, links, calls) => {
    expect(await unlink(links)).toEqual({ sent: calls, linked: [] })
  })

  test('when the engine does not return the item of a refused update', async () => {
    const withoutItems = ({ Responses }: Batch) => ({
      Responses: Responses.map(({ Error: error, ...rest }) =>
        error === undefined ? rest : { ...rest, Error: { Code: error.Code } },
      ),
    })
    const { sent, linked } = await unlink([{ sso: 70 }, { saml: 7, sso: 70 }], withoutItems)
    expect(linked).toEqual([])
    expect(sent).toEqual({ BatchExecuteStatement: 2, BatchGetItem: 1 })
  })
})

test.each([
  'InternalServerError',
  'ProvisionedThroughputExceeded',
  'RequestLimitExceeded',
  'ThrottlingError',
  'TransactionConflict',
])('a user whose update ends with %s is unlinked by the next call', async Code => {
  let batches = 0
  const firstOnly: Plan = async ({ operation, body, send }) => {
    if (operation !== 'BatchExecuteStatement' || ++batches > 1) return send()
    const [first] = body.Statements as object[]
    const { output } = await send({ Statements: [first] })
    return { output: { ...output, Responses: [...(output.Responses as object[]), { Error: { Code } }] } }
  }
  const { sent, linked } = await unlink(of(2, { saml: 7, sso: 70 }), undefined, firstOnly)
  expect([sent, linked]).toEqual([{ BatchExecuteStatement: 2 }, []])
})

test.each(['ValidationError', 'Unknown'])(
  'a statement that fails with %s ends the unlinking with that error, which names the user',
  async Code => {
    const refused = ({ Responses }: Batch) => ({ Responses: Responses.map(() => ({ Error: { Code } })) })
    await expect(unlink([{ saml: 7 }], refused)).rejects.toMatchObject({
      name: `${Code}Exception`,
      message: expect.stringContaining(userId(0)),
    })
  },
)

test('a user whom the table shows as linked and always refuses to unlink ends as table_busy, after three calls', async () => {
  let calls = 0
  const refused = () => {
    calls += 1
    const Item = { ...userKey(userId(0)), saml_provider_id: 7 }
    return { Responses: [{ Error: { Code: 'ConditionalCheckFailed', Item } }] }
  }
  await expect(unlink([{ saml: 7 }], refused)).rejects.toMatchObject({ code: 'table_busy' })
  expect(calls).toBe(3)
})
