import { createServer } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { expect, inject, onTestFinished, test } from 'vitest'
import { segments } from '../../../infra/data/table/scan.ts'
import { verifyTable } from '../../../infra/data/verify.ts'
import { listen } from '../../../infra/listen.ts'
import { membershipItem, providerItem } from '../../../infra/data/table/items.ts'
import { forward } from '../../bench/forward.ts'
import { type Plan, withPlan } from '../../support/test-client.ts'
import { captured } from '../../support/machine.ts'
import { sampleProvider, sampleUser, userId } from '../../support/samples.ts'
import { dataHere, runData } from '../command-process.ts'
import { cancelled } from '../membership/scenario.ts'
import { itemsOf, never, scenario, sharedScenario } from '../scenario.ts'

const provider = sampleProvider(7)
const users = [sampleUser(1, { saml: 7 }), sampleUser(2)]
const stray = membershipItem(7, userId(2))
const wrongCount = {
  place: 'SAML_PROVIDERS PROVIDER#0000000007',
  problem: 'member_count is 1, but it has 2 memberships',
  repair: 'set member_count to this number',
}
const wrongMembership = {
  place: `SAML_PROVIDER#7 USER#${userId(2)}`,
  problem: 'the user is not linked to provider 7',
  repair: 'delete the membership',
}
const asText = ({ place, problem, repair }: typeof wrongCount) =>
  `${place}: ${problem}\n  repair: ${repair}\n`
const found = asText(wrongCount) + asText(wrongMembership)

test('verify prints the faults and the counts, and repairs when it is told to', async () => {
  const s = await sharedScenario()
  const early = sampleUser(3, { saml: 5 })
  // Those of other programs are no faults, and what may be a person's name in their keys is not printed.
  const others = [1, 2, 3].map(n => ({ PK: `USER#${userId(n)}`, SK: 'ada@example.com' }))
  await s.put(...itemsOf([provider], [...users, early]), stray, ...others)
  const verify = async (code: number, ...args: string[]) => {
    const { stdout, ...ended } = await dataHere('verify', '--table', s.tableName, ...args)
    expect(ended).toEqual({ code, stderr: '' })
    return stdout
  }

  const place = `USER#${userId(3)} USER`
  const problem = 'it is linked to provider 5, which does not exist'
  const noRepair = 'nothing tells what the link means'
  const all = `${found}${place}: ${problem}\n  no repair: ${noRepair}\nproviders: 1, users: 3, memberships: 2, others: 3. 3 faults;`
  expect(await verify(1)).toBe(`${all} --repair repairs 2 of them.\n`)

  const after = 'Run it again to see what is left.\n'
  expect(await verify(1, '--repair')).toBe(`${all} repaired: 2. ${after}`)
  const right = itemsOf([provider, sampleProvider(5)], [...users, early])
  await s.put(...right)
  await s.put(stray, providerItem(provider, 2))
  expect(await verify(0, '--repair')).toContain(`1 faults; repaired: 1. ${after}`)
  expect((await s.items()).filter(({ SK }) => SK !== 'ada@example.com')).toEqual(right)
  expect(await verify(0)).toBe('providers: 2, users: 3, memberships: 2, others: 3. No fault.\n')
})

test.each([
  ['ConditionalCheckFailed', /^an item has changed since it was read \(SAML_PROVIDERS .*7\): run verify/],
  ['ValidationError', /^Item size too large$/],
])('verify tries a repair once, and says why it did not happen: %s', async (Code, reason) => {
  const s = await scenario()
  await s.put(providerItem(provider, 1))
  let scans = 0
  const plan: Plan = async ({ operation, send }) => {
    if (operation === 'Scan') scans += 1
    if (operation !== 'TransactWriteItems') return send()
    throw Object.assign(cancelled(), { CancellationReasons: [{ Code, Message: 'Item size too large' }] })
  }
  const verify = () => s.clock.moving(verifyTable(s.data, true, never))
  const result = await withPlan(plan, () => captured(verify))
  const [, , again, text = '', end] = result.stdout.split('\n')
  const [label, sentence = ''] = text.split(/(?<=repaired): /)
  expect([result.code, label, sentence]).toEqual([1, '  not repaired', expect.stringMatching(reason)])
  expect(again).toBe(`${wrongCount.place}: member_count is 1, but it has 0 memberships`)
  expect(end).toContain('1 faults; repaired: 0.')
  expect(scans).toBe(segments)
})

test('verify exits with 130 when it is interrupted during a repair', async () => {
  const s = await sharedScenario()
  await s.put(...itemsOf([provider], users), stray)
  const repairing = Promise.withResolvers<void>()
  // The repair is never answered.
  const engine = createServer(async (request, response) => {
    if (String(request.headers['x-amz-target']).endsWith('TransactWriteItems')) return repairing.resolve()
    const reply = await forward(request, await buffer(request), inject('dynamodbEndpoint'))
    response.end(await reply.text())
  })
  onTestFinished(() => void engine.close().closeAllConnections())
  const DYNAMODB_ENDPOINT = `http://127.0.0.1:${await listen(engine, 0)}`
  const args = ['verify', '--repair', '--table', s.tableName]
  const { child, outcome } = runData(args, { env: { DYNAMODB_ENDPOINT } })
  await repairing.promise
  child.kill('SIGINT')
  const stderr = 'Interrupted. Run the same command again.\n'
  expect(await outcome).toEqual({ code: 130, stdout: found, stderr })
})

test.each([
  [['--table', 'nope'], /^There is no table nope at http.+\.\n$/],
  [['--table', 'x', '--fix'], /^error: unknown option '--fix'/],
])('verify exits with 2 when it cannot read the table: %j', async (args, sentence) => {
  const { code, stderr } = await dataHere('verify', ...args)
  expect(code).toBe(2)
  expect(stderr).toMatch(sentence)
})
