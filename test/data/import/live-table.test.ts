import { describe, expect, test } from 'vitest'
import { providerKey, userKey } from '../../../lib/store/keys.ts'
import { withoutPlan, type Plan, withPlan } from '../../removal/faults.ts'
import { sampleProvider, sampleUser, userId } from '../../support/samples.ts'
import { itemsOf, ndjson, never, scenario } from '../scenario.ts'
import { userItem } from '../../../lib/store/items.ts'

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

  test('writes nothing with --strict when a user in the table differs', async () => {
    const s = await scenario()
    // The second one is linked to the new provider.
    const users = [sampleUser(1), sampleUser(3, { sso: 70 })]
    await s.put(...itemsOf([sampleProvider(6)], users))
    const before = await s.items()
    const text = ndjson(
      sampleProvider(7, 70),
      { ...sampleUser(1), principal_name: 'x' },
      sampleUser(2, { saml: 6 }),
    )
    const { counts, faults, isWritten } = await s.import(text, { strict: true })
    expect(faults).toEqual(['2: differs in principal_name'])
    expect([isWritten, counts.users]).toMatchObject([false, { written: 1, there: 0, differs: 1 }])
    expect(await s.items()).toEqual(before)
    const { isWritten: isNow } = await s.import(ndjson(sampleProvider(7, 70)), { strict: true })
    expect(isNow).toBe(true)
    expect(await s.items()).toEqual(itemsOf([sampleProvider(6), sampleProvider(7, 70)], users))
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

  test.each([
    ['removing', 'is being removed'],
    ['removed', 'was removed'],
  ])('links no user to a provider that is %s', async (state, sentence) => {
    const s = await scenario()
    await s.put(...itemsOf([sampleProvider(7, 70)], []))
    const found = await s.data.table.get(providerKey(7), never)
    await s.put({ ...found, state, removal_id: 'r', retained_until: 4_000_000_000 })
    const before = await s.items()
    const { faults } = await s.import(
      ndjson(sampleProvider(7, 70), sampleUser(1, { saml: 7 }), sampleUser(2, { sso: 70 })),
    )
    expect(faults).toHaveLength(3)
    for (const fault of faults) expect(fault).toContain(`the provider 7 ${sentence}`)
    expect(await s.items()).toEqual(before)
  })

  test('links no user to a provider whose removal begins meanwhile', async () => {
    const s = await scenario()
    await s.put(...itemsOf([sampleProvider(7)], []))
    const { result } = await withPlan(s.removalOf(7), () => s.import(ndjson(sampleUser(1, { saml: 7 }))))
    expect(result.faults).toEqual([
      '1: the provider 7 is being removed: a user can no longer be linked to it',
    ])
    expect(await s.data.table.get(userKey(userId(1)), never)).toBeUndefined()
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
    const users = Array.from({ length: 40 }, (_, n) => sampleUser(n, { saml: 7 }))
    const { result } = await withPlan(plan, () => s.import(ndjson(sampleProvider(7), ...users)))
    expect(result.counts).toMatchObject({ users: { written: 40 }, providers: { written: 1 } })
    expect(await s.items()).toEqual(itemsOf([sampleProvider(7)], users))
    expect(calls).toBeGreaterThan(60)
  })

  test('stops at once when interrupted, and the next import completes it', async () => {
    const s = await scenario()
    const interruption = new AbortController()
    const users = Array.from({ length: 200 }, (_, n) => sampleUser(n, { saml: 7 }))
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
