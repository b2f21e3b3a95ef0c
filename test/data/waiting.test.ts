import { DescribeTableCommand } from '@aws-sdk/client-dynamodb'
import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { openDisplay } from '../../infra/data/display.ts'
import { type Data, withData } from '../../infra/data/open-data.ts'
import { waitingFor, watchCalls } from '../../infra/data/waiting.ts'
import { userKey } from '../../lib/store/keys.ts'
import { delay } from '../../lib/time.ts'
import { type Plan, withPlan } from '../removal/faults.ts'
import { userId } from '../support/samples.ts'
import { actionOf, described, newClock, stubAws } from './fake-aws.ts'
import { serverOf } from '../support/server-of.ts'
import { never, scenario } from './scenario.ts'

afterEach(() => void vi.unstubAllEnvs())

const key = userKey(userId(1))
const read = ({ table }: Data) => table.get(key, never)
const transact = ({ transact }: Data) => transact([{ Put: { Item: key } }], never)
const insert = ({ insert }: Data) => insert([key], never)

const refused = (name: string, CancellationReasons?: object[]) => () =>
  Promise.reject(
    Object.assign(new Error(name), { name, CancellationReasons, $metadata: { httpStatusCode: 400 } }),
  )
const canceled = (Code: string) => refused('TransactionCanceledException', [{ Code: 'None' }, { Code }])
const unexecuted = (Code: string) => async () => ({ output: { Responses: [{ Error: { Code } }] } })

const throttled = 'DynamoDB throttles'
const conflicts = 'other writers change the same items'

// The names and codes are those of the DynamoDB API Reference.
test.each<[string, (data: Data) => Promise<unknown>, Plan, string]>([
  ['a throttled read', read, refused('ThrottlingException'), throttled],
  ['a read above the capacity', read, refused('ProvisionedThroughputExceededException'), throttled],
  ['a throttled transaction', transact, canceled('ThrottlingError'), throttled],
  ['throttled statements', insert, unexecuted('ProvisionedThroughputExceeded'), throttled],
  ['a conflict', transact, canceled('TransactionConflict'), conflicts],
  ['conflicts of statements', insert, unexecuted('TransactionConflict'), conflicts],
])('a phase says that it waits for %s, until the call succeeds', async (_, call, plan, reason) => {
  const { clock, client, data } = await scenario()
  const limits = { answerMaxMs: 10_000, firstAnswerMaxMs: 10_000 }
  onTestFinished(watchCalls(client, clock, limits, () => new Error('no answer')))
  const lines: string[] = []
  const write = (line: string) => lines.push(line) > 0
  const { phase } = openDisplay({ isTTY: false, write: write as NodeJS.WriteStream['write'] }, clock)

  const refusedUntilMs = clock.nowMs() + 57_000
  const sent: Plan = one => (clock.nowMs() < refusedUntilMs ? plan(one) : one.send())
  const work = phase('users', 2, async advance => {
    await withPlan(sent, () => call(data))
    advance(1)
    await delay(clock, 10_000, never)
  })
  await clock.moving(work)
  expect(lines.slice(0, 11)).toEqual(Array(11).fill(`users: 0 %, waiting: ${reason}\n`))
  const working = expect.stringMatching(/^users: 50 %, \d+ s left\n$/)
  expect(lines.slice(-2)).toEqual([working, working])
})

describe('a command ends in one sentence when DynamoDB does not answer', () => {
  const onEndpoint = (url: string) => vi.stubEnv('DYNAMODB_ENDPOINT', url)

  // The work is two calls at once, of which one is answered.
  test.each([
    ['at all', 'DYNAMODB_ENDPOINT', onEndpoint, 0, 10_000],
    ['any more', 'DYNAMODB_ENDPOINT', onEndpoint, 2, 60_000],
    ['any more, on AWS,', 'AWS_ENDPOINT_URL', stubAws, 3, 10_000],
  ])('%s', async (_, variable, stub, answers, limitMs) => {
    const last = { asked: Promise.withResolvers<void>(), answered: Promise.withResolvers<void>() }
    if (answers === 0) last.answered.resolve()
    let calls = 0
    const url = await serverOf((request, response) => {
      calls += 1
      if (calls > answers) last.asked.resolve()
      else response.end(JSON.stringify(described[actionOf(request) as keyof typeof described]))
    })
    stub(url)
    const clock = newClock()
    const ended = vi.fn<(error: Error) => void>()
    const describeTwice = async ({ client }: Data) => {
      const both = [1, 2].map(() => client.send(new DescribeTableCommand({ TableName: 'accounts' })))
      await Promise.race(both)
      last.answered.resolve()
      await Promise.all(both)
    }
    const work = withData('accounts', never, describeTwice, clock).catch(ended)
    await Promise.all([last.asked.promise, last.answered.promise])
    expect(waitingFor(clock.nowMs())).toBeUndefined()
    clock.advance(limitMs - 1)
    expect(waitingFor(clock.nowMs())).toBe('DynamoDB does not answer')
    await new Promise(setImmediate)
    expect(ended).not.toHaveBeenCalled()
    clock.advance(1)
    await work
    expect(ended.mock.lastCall?.[0].message).toMatch(
      new RegExp(`^The DynamoDB .+ does not answer: check the network and ${variable}\\.$`),
    )
    expect(waitingFor(clock.nowMs())).toBeUndefined()
  })
})
