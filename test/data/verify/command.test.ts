import { closeSync, openSync } from 'node:fs'
import { createServer } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { expect, inject, onTestFinished, test } from 'vitest'
import { membershipItem, providerItem } from '../../../infra/data/table/items.ts'
import { listen } from '../../../infra/listen.ts'
import { forward } from '../../bench/forward.ts'
import { sampleProvider, sampleUser, userId } from '../../support/samples.ts'
import { dataHere, runData } from '../running.ts'
import { itemsOf, sharedScenario } from '../scenario.ts'

const provider = sampleProvider(7)
const users = [sampleUser(1, { saml: 7 }), sampleUser(2)]
const stray = membershipItem(7, userId(2))
const found = `SAML_PROVIDERS PROVIDER#0000000007: member_count is 1, but it has 2 memberships
  repair: set member_count to this number
SAML_PROVIDER#7 USER#${userId(2)}: the user is not linked to provider 7
  repair: delete the membership
`

test('verify repairs only when it is told to', async () => {
  const s = await sharedScenario()
  const early = sampleUser(3, { saml: 5 })
  // Those of other programs are no faults, and what may be a person's name in their keys is not printed.
  const others = [1, 2, 3].map(n => ({ PK: `USER#${userId(n)}`, SK: 'ada@example.com' }))
  await s.put(...itemsOf([provider], [...users, early]), stray, ...others)
  const verify = (...args: string[]) => dataHere('verify', '--table', s.tableName, ...args)
  const printed = (code: number, stdout: string) => ({ code, stderr: '', stdout })
  const all = `${found}USER#${userId(3)} USER: it is linked to provider 5, which does not exist
  no repair: nothing tells what the link means
providers: 1, users: 3, memberships: 2, others: 3. 3 faults;`
  const after = 'Run it again to see what is left.\n'
  expect(await verify()).toEqual(printed(1, `${all} --repair repairs 2 of them.\n`))
  expect(await verify('--repair')).toEqual(printed(1, `${all} repaired: 2. ${after}`))
  const right = itemsOf([provider, sampleProvider(5)], [...users, early])
  await s.put(...right, stray)
  await s.put(providerItem(provider, 2))
  const repaired = expect.stringContaining(`1 faults; repaired: 1. ${after}`)
  expect(await verify('--repair')).toEqual(printed(0, repaired))
  expect((await s.items()).filter(({ SK }) => SK !== 'ada@example.com')).toEqual(right)
  expect(await verify()).toEqual(printed(0, 'providers: 2, users: 3, memberships: 2, others: 3. No fault.\n'))
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
  expect([code, stderr]).toEqual([2, expect.stringMatching(sentence)])
})

// A device that is always full, as a disk can be.
test.skipIf(process.platform !== 'linux')('verify exits with 2 when the disk is full', async () => {
  const s = await sharedScenario()
  const full = openSync('/dev/full', 'w')
  onTestFinished(() => closeSync(full))
  const { outcome } = runData(['verify', '--table', s.tableName], { stdout: full })
  const stderr = 'ENOSPC: no space left on device, write\n'
  expect(await outcome).toEqual({ code: 2, stdout: '', stderr })
})
