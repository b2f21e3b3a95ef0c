import { expect, test } from 'vitest'
import { cancelled } from '../support/refusals.ts'
import { type Plan, replyOf, withPlan } from '../support/test-client.ts'
import { batchOf, donePartly } from './partly.ts'
import { idsOf, scenarioFactory } from './scenario.ts'

const makeScenario = scenarioFactory()

/**
 * Leaves the items with one of these texts in their keys unread: a batch of them alone is throttled. Notes how many keys each
 * batch has, and how many actions each transaction.
 */
function leavingUnread(texts: string[]) {
  const calls: string[] = []
  const isRead = (key: object) => !texts.some(text => JSON.stringify(key).includes(text))
  const plan: Plan = async call => {
    const { TransactItems } = call.body as { TransactItems?: object[] }
    const { items } = batchOf(call) ?? {}
    if (TransactItems) calls.push(`writes ${TransactItems.length}`)
    if (items === undefined) return call.send()
    calls.push(`reads ${items.length}`)
    if (items.every(isRead)) return call.send()
    return items.some(isRead) ? donePartly(call, isRead) : replyOf({ __type: 'x#ThrottlingException' }, 400)
  }
  return { calls, plan }
}

const isFourth = (n: number) => n % 4 === 0

test.each<[string, (n: number) => boolean, string, string]>([
  ['users', isFourth, '"PK":{"S":"USER#', 'reads 98, reads 13, writes 73, reads 98, reads 12, writes 75'],
  [
    'memberships',
    isFourth,
    '"SK":{"S":"USER#',
    'reads 98, reads 13, writes 73, reads 98, reads 12, writes 75',
  ],
  ['a whole group', n => n < 49, '"USER#', 'reads 98, reads 98, writes 99'],
  ['anybody', () => true, '"USER#', 'reads 98, reads 98'],
])('who cannot be read waits, and the others go on: %s', async (_, isUnread, key, first) => {
  const scenario = await makeScenario(98)
  const unread = idsOf(scenario.users).filter((_, n) => isUnread(n))
  const { calls, plan } = leavingUnread(unread.map(id => key + id))
  const attempt = withPlan(plan, () => scenario.attempt())
  await expect(attempt).rejects.toMatchObject({ code: 'table_busy' })
  expect((await scenario.state()).linked).toEqual(unread)
  expect(calls.join(', ')).toMatch(new RegExp(`^${first}`))
  const counts = scenario.logged.flatMap(({ unlinked }) => unlinked ?? [])
  expect(counts).toEqual(unread.length === 98 ? [] : [98 - unread.length])
  expect(await scenario.attempt()).toEqual(idsOf(scenario.users))
})

test('who cannot be read is not read again when the transaction is refused for another', async () => {
  const scenario = await makeScenario(4)
  const [one] = idsOf(scenario.users)
  const { calls, plan } = leavingUnread([`"PK":{"S":"USER#${one}`])
  let left = 1
  const refusing: Plan = async call =>
    call.operation === 'TransactWriteItems' && left-- > 0
      ? cancelled('None', 'TransactionConflict')
      : plan(call)
  const attempt = withPlan(refusing, () => scenario.attempt())
  await expect(attempt).rejects.toMatchObject({ code: 'table_busy' })
  expect(calls.slice(0, 4)).toEqual(['reads 8', 'reads 1', 'reads 4', 'writes 5'])
})
