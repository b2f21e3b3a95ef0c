import { createServer } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { describe, expect, inject, onTestFinished, test } from 'vitest'
import { segments } from '../../../infra/data/scan.ts'
import { absentProviderRule } from '../../../infra/data/verify/provider-rules.ts'
import { verifyTable } from '../../../infra/data/verify.ts'
import { listen } from '../../../infra/listen.ts'
import { type Item, membershipItem, providerItem } from '../../../lib/store/items.ts'
import { forward } from '../../bench/forward.ts'
import { type Plan, withPlan } from '../../removal/faults.ts'
import { captured } from '../../support/captured.ts'
import { sampleProvider, sampleUser, userId } from '../../support/samples.ts'
import { dataHere, runData } from '../command-process.ts'
import { cancelled } from '../membership/scenario.ts'
import { type DataScenario, itemsOf, never, sharedScenario } from '../scenario.ts'

const [provider, other] = [sampleProvider(7), sampleProvider(8)]
const users = [sampleUser(1, { saml: 7 }), sampleUser(2)]
const stray = membershipItem(7, userId(2))
const place = 'SAML_PROVIDERS PROVIDER#0000000007'
const counts = 'providers: 1, users: 2, memberships:'
const found = [
  `${place}: member_count is 1, but it has 2 memberships`,
  '  repair: set member_count to this number',
  `SAML_PROVIDER#7 USER#${userId(2)}: the user is not linked to provider 7`,
  '  repair: delete the membership\n',
].join('\n')

async function scenarioWith(...items: Item[]) {
  const s = await sharedScenario()
  await s.put(...items)
  return s
}

const verify = ({ clock, data }: DataScenario, options = {}) =>
  captured(() => clock.moving(verifyTable(data, { isRepairing: false, json: false, ...options }, never)))

describe('verify', () => {
  test('prints the faults and the counts, and repairs when it is told to', async () => {
    const s = await scenarioWith(...itemsOf([provider], users), stray)
    const unrepaired = `${found}${counts} 2. 2 faults; --repair repairs 2 of them.\n`
    expect(await verify(s)).toEqual({ code: 1, stdout: unrepaired, stderr: '' })
    const repaired = `${found}${counts} 2. 2 faults; repaired: 2. Run it again to see what is left.\n`
    expect(await verify(s, { isRepairing: true })).toEqual({ code: 0, stdout: repaired, stderr: '' })
    expect(await s.items()).toEqual(itemsOf([provider], users))
    expect(await verify(s)).toEqual({ code: 0, stdout: `${counts} 1. No fault.\n`, stderr: '' })
  })

  test('prints one JSON object per line', async () => {
    const s = await scenarioWith(...itemsOf([], [sampleUser(1, { saml: 5 })]))
    const problem =
      'there is no such provider, but 1 user is linked to it: an import of provider 5 was interrupted or still runs: run the same import again'
    const lines = [
      { place: 'SAML_PROVIDERS PROVIDER#0000000005', problem, noRepair: absentProviderRule.why },
      { providers: 0, users: 1, memberships: 0, faults: 1, repairable: 0 },
    ]
    const stdout = lines.map(line => `${JSON.stringify(line)}\n`).join('')
    expect(await verify(s, { json: true })).toEqual({ code: 1, stdout, stderr: '' })
  })

  test.each([
    ['ConditionalCheckFailed', `an item has changed since it was read (${place}): run verify --repair again`],
    ['ValidationError', 'Item size too large'],
  ])('tries a repair once, and says why it did not happen: %s', async (Code, notRepaired) => {
    const s = await scenarioWith(providerItem(provider, 1))
    let scans = 0
    const plan: Plan = async ({ operation, send }) => {
      if (operation === 'Scan') scans += 1
      if (operation !== 'TransactWriteItems') return send()
      throw Object.assign(cancelled(), { CancellationReasons: [{ Code, Message: 'Item size too large' }] })
    }
    const { result } = await withPlan(plan, () => verify(s, { isRepairing: true }))
    const problem = 'member_count is 1, but it has 0 memberships'
    expect([result.code, result.stdout.split('\n')]).toEqual([
      1,
      [
        ...[`${place}: ${problem}`, '  repair: set member_count to this number'],
        ...[`${place}: ${problem}`, `  not repaired: ${notRepaired}`],
        'providers: 1, users: 0, memberships: 0. 1 faults; repaired: 0. Run it again to see what is left.',
        '',
      ],
    ])
    expect(scans).toBe(segments)
    const asJson = await withPlan(plan, () => verify(s, { isRepairing: true, json: true }))
    expect(JSON.parse(asJson.result.stdout.split('\n')[1] ?? '')).toMatchObject({
      place,
      problem,
      notRepaired,
    })
  })

  test('counts the items of other programs by the kind of their keys, which are no faults', async () => {
    const sessions = [1, 2, 3].map(n => ({ PK: `USER#${userId(n)}`, SK: `SESSION#${n}` }))
    const s = await scenarioWith(...itemsOf([provider], users), ...sessions, {
      PK: 'ada@example.com',
      SK: 'LOVELACE',
    })
    const { code, stdout } = await verify(s)
    expect(stdout.split('\n').toSorted()).toEqual([
      '',
      '1 items of another program: … …',
      '3 items of another program: USER#… SESSION#…',
      `${counts} 1. No fault.`,
    ])
    expect(code).toBe(0)
  })

  test('of one provider scans nothing, and repairs it alone', async () => {
    const s = await scenarioWith(...itemsOf([provider], users), stray, providerItem(other, 3))
    const plan: Plan = ({ operation, send }) => {
      expect(operation).not.toBe('Scan')
      return send()
    }
    const { result } = await withPlan(plan, () => verify(s, { isRepairing: true, provider: 7 }))
    const stdout = `${found}providers: 1, users: 2, memberships: 2. 2 faults; repaired: 2. Run it again to see what is left.\n`
    expect(result).toMatchObject({ code: 0, stdout })
    expect(await s.items()).toContainEqual(providerItem(other, 3))
  })
})

describe('npm run data -- verify', () => {
  test('exits with 1 for faults', async () => {
    const s = await scenarioWith(providerItem(provider, 1))
    const { code, stdout } = await dataHere('verify', '--table', s.tableName)
    expect([code, stdout]).toEqual([1, expect.stringContaining('--repair repairs 1 of them')])
  })

  test('exits with 130 when it is interrupted during a repair', async () => {
    const s = await scenarioWith(...itemsOf([provider], users), stray)
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
    [['--table', 'nope'], /^There is no table nope/],
    [['--table', 'x', '--provider', '07'], /^error: option '--provider <ID>' argument '07' is invalid/],
    [['--table', 'x', '--tabel', 'x'], /^error: unknown option '--tabel'\n\(Did you mean --table\?\)\n/],
  ])('exits with 2 when it cannot read the table: %j', async (args, sentence) => {
    const { code, stderr } = await dataHere('verify', ...args)
    expect(code).toBe(2)
    expect(stderr).toMatch(sentence)
  })
})
