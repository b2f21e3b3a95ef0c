import { DeleteCommand } from '@aws-sdk/lib-dynamodb'
import { describe, expect, onTestFinished, test } from 'vitest'
import { membershipItem, userItem } from '../../lib/store/items.ts'
import { membershipKey } from '../../lib/store/keys.ts'
import { type Links, sampleProvider, sampleUser, sampleUsers, userId } from '../support/samples.ts'
import { openTestClient } from '../support/test-client.ts'
import { world as anyWorld } from '../support/world.ts'
import { dataHere } from './command-process.ts'

/** Commands read the engine that all tests share. */
const world = () => anyWorld({}, onTestFinished, openTestClient)
const run = (command: string, table: string, ...args: string[]) =>
  dataHere(command, '--table', table, ...args)
const withoutPassword = (n: number, links: Links) => ({ ...sampleUser(n, links), AuthSecret: null })

test('affected prints the answer of the DELETE', async () => {
  const w = await world()
  const members = sampleUsers(250, { saml: 7 })
  await w.putProvider(sampleProvider(7), members)
  const { text } = await w.remove(7)
  const printed = await run('affected', w.tableName, '--provider', '7')
  expect(printed).toEqual({ code: 0, stdout: `${text}\n`, stderr: '' })
})

describe('affected prints what the DELETE answers, when after the removal', () => {
  async function removed() {
    const w = await world()
    await w.putProvider(
      sampleProvider(7),
      [1, 2].map(n => sampleUser(n, { saml: 7 })),
    )
    await w.remove(7)
    return w
  }

  test('a user was linked against the rules: not this one', async () => {
    const w = await removed()
    await w.put(userItem(sampleUser(3, { saml: 7 })), membershipItem(7, userId(3)))
    const { text } = await w.remove(7)
    expect(JSON.parse(String(text)).data.affected_user).toHaveLength(2)
    expect(await run('affected', w.tableName, '--provider', '7')).toMatchObject({
      code: 0,
      stdout: `${text}\n`,
    })
  })

  test('a membership is gone, as TTL deletes it: no part of the list', async () => {
    const w = await removed()
    await w.client.send(new DeleteCommand({ TableName: w.tableName, Key: membershipKey(7, userId(2)) }))
    expect((await w.remove(7)).status).toBe(404)
    const { code, stdout, stderr } = await run('affected', w.tableName, '--provider', '7')
    expect([code, stdout]).toEqual([1, ''])
    expect(stderr).toContain('The list of provider 7 is not complete any more')
  })
})

test('affected reports that a removal is unfinished', async () => {
  const w = await world()
  await w.putProvider(
    sampleProvider(7),
    [1, 2, 3].map(n => sampleUser(n, { saml: 7 })),
  )
  const provider = (await w.items()).find(item => item.PK === 'SAML_PROVIDERS')
  const retained_until = 4_102_444_800
  const removal = { removal_id: 'r', removal_started_at: '2026-01-01T00:00:00.000Z', retained_until }
  await w.put(
    { ...provider, state: 'removing', ...removal },
    { ...membershipItem(7, userId(1)), expires_at: retained_until },
    { ...membershipItem(7, userId(2)), expires_at: retained_until - 1 },
  )
  expect((await run('affected', w.tableName, '--provider', '7')).stderr).toBe(
    'The removal is unfinished, 1 of 3 users are unlinked: send the DELETE again.\n',
  )
})

test('preview prints the affected users, names those without another way to sign in, and writes nothing', async () => {
  const w = await world()
  const members = [
    sampleUser(1, { saml: 7 }),
    withoutPassword(2, { saml: 7 }),
    withoutPassword(3, { sso: 70 }),
    withoutPassword(4, { saml: 7, sso: 70 }),
    withoutPassword(5, { saml: 7, sso: 99 }),
    withoutPassword(6, { saml: 8, sso: 70 }),
    withoutPassword(7, { saml: 7, sso: 90 }),
    withoutPassword(8, { saml: 9, sso: 70 }),
    withoutPassword(9, { saml: 10, sso: 70 }),
  ]
  await w.putProvider(sampleProvider(7, 70), members)
  await w.putProvider(sampleProvider(8))
  await w.putProvider(sampleProvider(9, 90))
  expect((await w.remove(9)).status).toBe(200)
  const before = await w.items()
  const { code, stdout, stderr } = await run('preview', w.tableName, '--provider', '7')
  expect(await w.items()).toEqual(before)
  const { affected_user } = JSON.parse(stdout).data
  expect([code, affected_user]).toEqual([0, members])
  expect(stderr.split('\n')).toEqual([
    ...[2, 3, 4, 7, 8, 9].map(n => `No other way to sign in: ${userId(n)} user-${n}@example.com`),
    '9 users would be affected, 6 of them would have no other way to sign in.',
    '',
  ])
  const ids = (users: { id: string }[]) => users.map(({ id }) => id)
  expect(ids((await w.remove(7)).json().data.affected_user)).toEqual(ids(affected_user))
})

test('affected and preview each name the other for a provider in the wrong state', async () => {
  const w = await world()
  await w.putProvider(sampleProvider(7))
  await w.putProvider(sampleProvider(8))
  await w.remove(7)
  for (const [command, id, sentence] of [
    ['affected', '8', 'Provider 8 is active, not removed: preview shows its users.'],
    ['preview', '7', 'Provider 7 was removed: affected shows its users.'],
    [
      'affected',
      '9',
      `There is no provider 9 with a known state in ${w.tableName}: \`verify --provider 9\` says what is left of it.`,
    ],
  ] as const)
    expect(await run(command, w.tableName, '--provider', id)).toEqual({
      code: 1,
      stdout: '',
      stderr: `${sentence}\n`,
    })
})
