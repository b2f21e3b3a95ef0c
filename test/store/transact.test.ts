import { randomUUID } from 'node:crypto'
import { inspect } from 'node:util'
import { NumberValue } from '@aws-sdk/lib-dynamodb'
import { marshall } from '@aws-sdk/util-dynamodb'
import { expect, test, vi } from 'vitest'
import { createTable } from '../../infra/resources/table.ts'
import { openTable } from '../../lib/store/table.ts'
import type { Action, Refusal } from '../../lib/store/transact.ts'
import { fakeClock } from '../support/fake-clock.ts'
import { cancelled } from '../support/refusals.ts'
import { openOwnClient, type Plan, type Reply, replyOf, withPlan } from '../support/test-client.ts'

const never = new AbortController().signal

const inProgress = replyOf({ __type: 'x#TransactionInProgressException' }, 400)

/** Sends a transaction of two actions that gets these replies, and is written once there is none left. */
async function transact(replies: Reply[], triesMax?: number) {
  const clock = fakeClock()
  const client = openOwnClient(clock)
  const tableName = randomUUID()
  await createTable(client, tableName)
  const written: Action = { Put: { Item: { PK: 'a', SK: 'any', id: 1 } } }
  const actions = [written, { Delete: { Key: { PK: 'b', SK: 'any' } } }]
  const tokens = new Set<unknown>()
  const send = vi.fn<Plan>(async ({ body, send }) => {
    tokens.add(body.ClientRequestToken)
    return replies.shift() ?? send()
  })
  const { transact } = openTable(client, tableName, clock)
  const outcome = await withPlan(send, () => clock.moving(transact(actions, never, { triesMax }))).catch(
    (thrown: Error) => ({ thrown }),
  )
  expect(tokens.size).toBe(1)
  return { outcome, attempts: send.mock.calls.length }
}

test.each<[string, Reply]>([
  ['met another transaction', cancelled('None', 'TransactionConflict')],
  ['is still in progress', inProgress],
  ['is throttled', cancelled('ThrottlingError', 'None')],
  ['exceeds what is provisioned', cancelled('None', 'ProvisionedThroughputExceeded')],
  ['has a reply without a body', replyOf({})],
])('a transaction that %s is sent again with its token', async (_, reply) => {
  expect(await transact([reply])).toEqual({ outcome: undefined, attempts: 2 })
})

const busy = expect.objectContaining({ code: 'table_busy' })
const at = (PK: string, code: string) => ({ PK, SK: 'any', code })
const named = (name: string) => expect.objectContaining({ name })
test.each<[string, Reply, number, object]>([
  [
    'whose condition does not hold',
    cancelled('TransactionConflict', 'ConditionalCheckFailed'),
    1,
    { refused: [at('a', 'TransactionConflict'), at('b', 'ConditionalCheckFailed')], error: busy },
  ],
  [
    'that meets others at three attempts of three',
    cancelled('TransactionConflict', 'None'),
    3,
    { refused: [at('a', 'TransactionConflict')], error: busy },
  ],
  ['that stays in progress', inProgress, 3, { refused: [], error: busy }],
  [
    'of an item that becomes too large',
    cancelled('None', 'ValidationError'),
    1,
    { refused: [at('b', 'ValidationError')], error: named('TransactionCanceledException') },
  ],
  [
    'of too many bytes',
    replyOf({ __type: 'x#ValidationException' }, 400),
    1,
    { refused: [], error: named('ValidationException') },
  ],
  [
    'that is throttled at three attempts of three',
    cancelled('ThrottlingError', 'None'),
    3,
    { refused: [at('a', 'ThrottlingError')], error: busy },
  ],
  [
    'that is always throttled as a whole',
    replyOf({ __type: 'x#ThrottlingException' }, 400),
    8,
    { refused: [], error: busy },
  ],
  ['that never has a whole reply', replyOf({}), 8, { thrown: busy }],
  [
    'that is not allowed',
    cancelled('AccessDenied', 'None'),
    1,
    { thrown: named('TransactionCanceledException') },
  ],
])('a transaction %s is not written', async (_, reply, attempts, outcome) => {
  expect(await transact(Array(100).fill(reply), 3)).toEqual({ outcome, attempts })
})

/** An item with a member and an attribute `__proto__`, which the SDK cannot read in an error. */
const odd = JSON.parse('{"name":{"S":"Eve"},"map":{"M":{"__proto__":{"S":"Eve"}}},"__proto__":{"S":"Eve"}}')

test('a refusal has mark and links of the item whose condition does not hold, with exact numbers', async () => {
  const links = { saml_provider_id: 7, sso_provider_id: NumberValue.from('7.00000000000000000001') }
  const Item = { ...odd, ...marshall({ expires_at: 5, ...links }) }
  const { outcome } = await transact([cancelled('None', { Code: 'ConditionalCheckFailed', Item })])
  const item = { expires_at: 5, ...links }
  expect((outcome as Refusal).refused).toEqual([{ ...at('b', 'ConditionalCheckFailed'), item }])
})

test.each([
  'ConditionalCheckFailed',
  'TransactionConflict',
  'ThrottlingError',
  'ValidationError',
  'AccessDenied',
])('an error has nothing of an item that is returned with %s', async Code => {
  const { outcome } = await transact(Array(3).fill(cancelled('None', { Code, Item: odd })), 3)
  const { error, thrown } = outcome as Refusal & { thrown: unknown }
  const { cause, $response } = (error ?? thrown) as Error & { $response?: { body: Uint8Array } }
  const { body } = $response ?? (cause as { $response: { body: Uint8Array } }).$response
  const text = inspect(error ?? thrown, { depth: Number.POSITIVE_INFINITY, showHidden: true })
  expect(text + new TextDecoder().decode(body)).not.toContain('Eve')
})

test('a transaction may meet 59 others', async () => {
  const conflicts = Array(59).fill(cancelled('TransactionConflict', 'None'))
  expect(await transact(conflicts)).toEqual({ outcome: undefined, attempts: 60 })
})
