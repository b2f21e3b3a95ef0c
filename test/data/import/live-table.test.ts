import { describe, expect, test } from 'vitest'
import { userItem } from '../../../lib/store/items.ts'
import { providerKey } from '../../../lib/store/keys.ts'
import { type Plan, withoutPlan, withPlan } from '../../removal/faults.ts'
import { sampleProvider, sampleUser, sampleUsers } from '../../support/samples.ts'
import { itemsOf, ndjson, never, scenario } from '../scenario.ts'

describe('an import into a live table', () => {
  test('keeps stored users and providers that differ, and lists them', async () => {
    const s = await scenario()
    const provider = sampleProvider(7)
    const users = [sampleUser(1, { saml: 7 }), sampleUser(2)]
    await s.put(...itemsOf([provider], users))
    const before = await s.items()
    const { counts, faults } = await s.import(
      ndjson(
        { ...provider, display_name: 'Other' },
        { ...users[0], principal_name: 'other' },
        { ...users[1], saml_provider_id: { int32: 7, valid: true } },
        sampleUser(2, { sso: 99 }),
      ),
    )
    expect(faults).toEqual([
      expect.stringMatching(/^4: the user .*2 is already in the input$/),
      '2: differs in principal_name',
      '3: differs in saml_provider_id',
      '1: differs in display_name',
    ])
    expect(counts).toMatchObject({
      providers: { read: 1, written: 0, there: 0, differs: 1, refused: 0 },
      users: { read: 3, written: 0, there: 0, differs: 2, refused: 1 },
    })
    expect(await s.items()).toEqual(before)
  })

  test.each([
    ['of a new provider', 'BatchExecuteStatement', []],
    ['of a stored provider', 'TransactWriteItems', [sampleProvider(7)]],
  ])('never overwrites a user %s whom another writer stores meanwhile', async (_, call, providers) => {
    const s = await scenario()
    await s.put(...itemsOf(providers, []))
    const other = { ...sampleUser(1), principal_name: 'other' }
    const plan: Plan = async ({ operation, send }) => {
      if (operation === call) await withoutPlan(() => s.put(userItem(other)))
      return send()
    }
    const joining = [1, 2, 3].map(n => sampleUser(n, { saml: 7 }))
    const { result } = await withPlan(plan, () => s.import(ndjson(sampleProvider(7), ...joining)))
    expect(result.faults).toEqual(['2: differs in saml_provider_id, principal_name'])
    expect(await s.items()).toEqual(itemsOf([sampleProvider(7)], [other, ...joining.slice(1)]))
  })

  test('continues when DynamoDB throttles calls, entirely or partly, for a long time', async () => {
    const s = await scenario()
    let calls = 0
    const plan: Plan = async ({ operation, send, body }) => {
      calls += 1
      if (calls < 60 && operation !== 'BatchExecuteStatement')
        throw Object.assign(new Error('slow down'), { name: 'ThrottlingException' })
      if (operation !== 'BatchExecuteStatement' || calls % 3 === 0) return send()
      const [first, ...rest] = body.Statements as object[]
      const reply = await send({ ...body, Statements: [first] })
      const busy = rest.map(() => ({ Error: { Code: 'ProvisionedThroughputExceeded' } }))
      return { ...reply, output: { Responses: [...(reply.output.Responses as object[]), ...busy] } }
    }
    const users = sampleUsers(40, { saml: 7 })
    const { result } = await withPlan(plan, () => s.import(ndjson(sampleProvider(7), ...users)))
    expect(result.counts).toMatchObject({ users: { written: 40 }, providers: { written: 1 } })
    expect(await s.items()).toEqual(itemsOf([sampleProvider(7)], users))
    expect(calls).toBeGreaterThan(60)
  })

  test('stops at once when interrupted, and the next import completes it', async () => {
    const s = await scenario()
    const interruption = new AbortController()
    const users = sampleUsers(200, { saml: 7 })
    const text = ndjson(sampleProvider(7), ...users)
    const plan: Plan = ({ n, send }) => {
      if (n === 6) interruption.abort(new Error('interrupted'))
      return send()
    }
    await expect(withPlan(plan, () => s.import(text, {}, interruption.signal))).rejects.toThrow('interrupted')
    expect(await s.data.table.get(providerKey(7), never)).toBeUndefined()
    await s.import(text)
    expect(await s.items()).toEqual(itemsOf([sampleProvider(7)], users))
  })
})
