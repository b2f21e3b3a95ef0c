import { expect, onTestFinished, test } from 'vitest'
import { membershipItem, userItem } from '../../infra/data/table/items.ts'
import { membershipKey } from '../../lib/store/keys.ts'
import { type Links, sampleProvider, sampleUser, sampleUsers, userId } from '../support/samples.ts'
import { openTestClient } from '../support/test-client.ts'
import { world as anyWorld } from '../support/world.ts'
import { dataHere } from './running.ts'

/** The service, and the commands on its table. Commands read the engine that all tests share. */
async function world() {
  const w = await anyWorld({}, onTestFinished, openTestClient)
  const run = (command: string, id: number) =>
    dataHere(command, '--table', w.tableName, '--provider', String(id))
  const refused = async (command: string, id: number, sentence: string) => {
    const stderr = expect.stringMatching(sentence)
    expect(await run(command, id)).toEqual({ code: 1, stdout: '', stderr })
  }
  return { ...w, run, refused }
}

const withoutPassword = (n: number, links: Links) => ({ ...sampleUser(n, links), AuthSecret: undefined })

test('affected prints what the DELETE answers until a membership is gone', async () => {
  const w = await world()
  await w.putProvider(sampleProvider(7), sampleUsers(250, { saml: 7 }))
  await w.putProvider(sampleProvider(8))
  const { text } = await w.remove(7)
  const printed = { code: 0, stdout: `${text}\n`, stderr: '' }
  expect(await w.run('affected', 7)).toEqual(printed)
  await w.refused('preview', 7, '^Provider 7 was removed: affected shows its users.\n$')
  await w.refused('affected', 8, '^Provider 8 is active, not removed: preview shows its users.\n$')
  await w.refused('affected', 9, '^There is no provider 9 with a known state in .*: `verify` says')

  await w.put(userItem(sampleUser(300, { saml: 7 })), membershipItem(7, userId(300)))
  expect((await w.remove(7)).text).toBe(text)
  expect(await w.run('affected', 7)).toEqual(printed)

  for (const n of [2, 300]) await w.drop(membershipKey(7, userId(n)))
  expect((await w.remove(7)).status).toBe(404)
  await w.refused('affected', 7, '^The list of provider 7 is not complete any more')
})

test('affected reports that a removal is unfinished', async () => {
  const w = await world()
  await w.putProvider(sampleProvider(7), sampleUsers(3, { saml: 7 }))
  const retained_until = 4_102_444_800
  const removal = { removal_id: 'r', removal_started_at: '2026-01-01T00:00:00.000Z', retained_until }
  await w.put(
    { ...(await w.provider()), state: 'removing', ...removal },
    { ...membershipItem(7, userId(1)), expires_at: retained_until },
    { ...membershipItem(7, userId(2)), expires_at: retained_until - 1 },
  )
  expect((await w.run('affected', 7)).stderr).toBe(
    'The removal is unfinished, 1 of 3 users are unlinked: send the DELETE again.\n',
  )
})

test('preview names the affected users who would have no other way to sign in', async () => {
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
  const stored = await w.items()
  const { code, stdout, stderr } = await w.run('preview', 7)
  expect(await w.items()).toEqual(stored)
  const { affected_user } = JSON.parse(stdout).data
  expect([code, affected_user]).toEqual([0, members])
  expect(stderr.split('\n')).toEqual([
    ...[2, 3, 4, 7, 8, 9].map(n => `No other way to sign in: ${userId(n)} user-${n}@example.com`),
    '9 users would be affected, 6 of them would have no other way to sign in.',
    '',
  ])
  expect((await w.remove(7)).json().data.affected_user).toMatchObject(members.map(({ id }) => ({ id })))
})
