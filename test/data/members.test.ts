import { DeleteCommand } from '@aws-sdk/lib-dynamodb'
import { expect, onTestFinished, test } from 'vitest'
import { membershipItem, userItem } from '../../infra/data/table/items.ts'
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

test('affected prints what the DELETE answers, until a membership is gone', async () => {
  const w = await world()
  await w.putProvider(sampleProvider(7), sampleUsers(250, { saml: 7 }))
  await w.putProvider(sampleProvider(8))
  const refused = async (command: string, id: string, sentence: string) =>
    expect(await run(command, w.tableName, '--provider', id)).toEqual({
      ...{ code: 1, stdout: '' },
      stderr: expect.stringMatching(sentence),
    })
  const { text } = await w.remove(7)
  const printed = { code: 0, stdout: `${text}\n`, stderr: '' }
  expect(await run('affected', w.tableName, '--provider', '7')).toEqual(printed)
  await refused('preview', '7', '^Provider 7 was removed: affected shows its users.\n$')
  await refused('affected', '8', '^Provider 8 is active, not removed: preview shows its users.\n$')
  await refused('affected', '9', '^There is no provider 9 with a known state in .*: `verify` says')

  await w.put(userItem(sampleUser(300, { saml: 7 })), membershipItem(7, userId(300)))
  expect((await w.remove(7)).text).toBe(text)
  expect(await run('affected', w.tableName, '--provider', '7')).toEqual(printed)

  // As TTL deletes them.
  for (const n of [2, 300])
    await w.client.send(new DeleteCommand({ TableName: w.tableName, Key: membershipKey(7, userId(n)) }))
  expect((await w.remove(7)).status).toBe(404)
  await refused('affected', '7', '^The list of provider 7 is not complete any more')
})

test('affected reports that a removal is unfinished', async () => {
  const w = await world()
  await w.putProvider(sampleProvider(7), sampleUsers(3, { saml: 7 }))
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
