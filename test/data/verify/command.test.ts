import { createServer, type ServerResponse } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { describe, expect, inject, onTestFinished, test } from 'vitest'
import { listen } from '../../../infra/listen.ts'
import { membershipItem, providerItem } from '../../../lib/store/items.ts'
import { forward } from '../../bench/forward.ts'
import { sampleProvider, sampleUser, userId } from '../../support/samples.ts'
import { runData } from '../command-process.ts'
import { itemsOf, scenario } from '../scenario.ts'

const provider = sampleProvider(7)
const users = [sampleUser(1, { saml: 7 }), sampleUser(2)]

describe('npm run data -- verify', () => {
  const verify = (table: string, ...args: string[]) => runData(['verify', '--table', table, ...args]).outcome
  const stray = membershipItem(7, userId(2))
  const counts = 'providers: 1, users: 2, memberships:'
  const found = [
    'SAML_PROVIDERS PROVIDER#0000000007: member_count is 1, but it has 2 memberships',
    '  repair: set member_count to 2',
    `SAML_PROVIDER#7 USER#${userId(2)}: the user is not linked to provider 7`,
    '  repair: delete the membership\n',
  ].join('\n')

  test('exits with 0 and prints the counts when there is no fault', async () => {
    const s = await scenario()
    await s.put(...itemsOf([provider], users))
    const stdout = `${counts} 1. No fault.\n`
    expect(await verify(s.tableName)).toEqual({ code: 0, stdout, stderr: '' })
  })

  test('exits with 1 and prints the faults, and changes nothing without --repair', async () => {
    const s = await scenario()
    await s.put(...itemsOf([provider], users), stray)
    const before = await s.items()
    const unrepaired = `${found}${counts} 2. 2 faults; --repair repairs 2 of them.\n`
    expect(await verify(s.tableName)).toEqual({ code: 1, stdout: unrepaired, stderr: '' })
    expect(await verify(s.tableName, '--repair', '--dry-run')).toEqual({
      code: 1,
      stdout: unrepaired,
      stderr: '',
    })
    expect(await s.items()).toEqual(before)
    const repaired = `${found}${counts} 1. No fault left.\n`
    expect(await verify(s.tableName, '--repair')).toEqual({ code: 0, stdout: repaired, stderr: '' })
    expect(await s.items()).toEqual(itemsOf([provider], users))
  })

  test('prints one JSON object per line with --json', async () => {
    const s = await scenario()
    await s.put(...itemsOf([], [sampleUser(1, { saml: 5 })]))
    const { code, stdout } = await verify(s.tableName, '--json')
    expect(code).toBe(1)
    expect(
      stdout
        .split('\n')
        .slice(0, 2)
        .map(line => JSON.parse(line)),
    ).toEqual([
      {
        place: `USER#${userId(1)} USER`,
        problem: 'it is linked to provider 5, which does not exist',
      },
      { providers: 0, users: 1, memberships: 0, faults: 1, repairable: 0 },
    ])
  })

  /** The endpoint of an engine that passes all calls but transactions on. */
  async function engineBut(transact: (response: ServerResponse) => void): Promise<string> {
    const engine = createServer(async (request, response) => {
      if (String(request.headers['x-amz-target']).endsWith('TransactWriteItems')) return transact(response)
      const reply = await forward(request, await buffer(request), inject('dynamodbEndpoint'))
      response.end(await reply.text())
    })
    onTestFinished(() => void engine.close().closeAllConnections())
    return `http://127.0.0.1:${await listen(engine, 0)}`
  }

  test.each([
    [
      [{ Code: 'ConditionalCheckFailed' }],
      'an item has changed since it was read (SAML_PROVIDERS PROVIDER#0000000007): run verify --repair again',
    ],
    [[{ Code: 'ValidationError', Message: 'Item size too large' }], 'Item size too large'],
  ])('says why a repair did not happen: %j', async (CancellationReasons, reason) => {
    const s = await scenario()
    await s.put({ ...providerItem(provider, 1) })
    const DYNAMODB_ENDPOINT = await engineBut(response =>
      response
        .writeHead(400)
        .end(JSON.stringify({ __type: '#TransactionCanceledException', CancellationReasons })),
    )
    const args = ['verify', '--repair', '--table', s.tableName]
    const place = 'SAML_PROVIDERS PROVIDER#0000000007'
    const stdout = [
      `${place}: member_count is 1, but it has 0 memberships`,
      '  repair: set member_count to 0',
      `${place}: member_count is 1, but it has 0 memberships`,
      `  not repaired: ${reason}`,
      'providers: 1, users: 0, memberships: 0. 1 faults left.\n',
    ].join('\n')
    expect(await runData(args, { env: { DYNAMODB_ENDPOINT } }).outcome).toEqual({
      code: 1,
      stdout,
      stderr: '',
    })
    const lines = (await runData([...args, '--json'], { env: { DYNAMODB_ENDPOINT } }).outcome).stdout.split(
      '\n',
    )
    expect(JSON.parse(lines[1] ?? '')).toMatchObject({ place, notRepaired: reason })
  })

  test('exits with 130 when it is interrupted during a repair', async () => {
    const s = await scenario()
    await s.put(...itemsOf([provider], users), stray)
    const repairing = Promise.withResolvers<void>()
    // The repair is never answered.
    const DYNAMODB_ENDPOINT = await engineBut(() => repairing.resolve())
    const args = ['verify', '--repair', '--table', s.tableName]
    const { child, outcome } = runData(args, { env: { DYNAMODB_ENDPOINT } })
    await repairing.promise
    child.kill('SIGINT')
    expect(await outcome).toEqual({
      code: 130,
      stdout: found,
      stderr: 'Interrupted. Run the same command again to continue.\n',
    })
  })

  test.each([
    [['--table', 'nope'], /^There is no table nope/],
    [['--table', 'x', '--tabel', 'x'], /^error: unknown option '--tabel'\n\(Did you mean --table\?\)\n/],
  ])('exits with 2 when it cannot read the table: %j', async (args, sentence) => {
    const { code, stderr } = await runData(['verify', ...args]).outcome
    expect(code).toBe(2)
    expect(stderr).toMatch(sentence)
  })
})
