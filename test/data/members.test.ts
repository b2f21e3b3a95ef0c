import { expect, onTestFinished, test } from 'vitest'
import { membershipItem, userItem } from '../../infra/data/table/encoding.ts'
import { membershipKey } from '../../lib/store/keys.ts'
import { sampleProvider, sampleUser, sampleUsers, userId } from '../support/samples.ts'
import { openTestClient } from '../support/test-client.ts'
import { world as anyWorld } from '../support/world.ts'
import { dataHere } from './running.ts'

/** The service, and the command on its table. Commands read the engine that all tests share. */
async function world() {
  const w = await anyWorld({}, onTestFinished, openTestClient)
  return {
    ...w,
    members: (id: number) => dataHere('members', '--table', w.tableName, '--provider', String(id)),
  }
}

test('the members command prints the users whom a removal will affect', async () => {
  const w = await world()
  const users = sampleUsers(3, { saml: 7 })
  await w.putProvider(sampleProvider(7), users)
  const stored = await w.items()
  const { code, stdout, stderr } = await w.members(7)
  expect([code, JSON.parse(stdout)]).toEqual([0, { data: { affected_user: users } }])
  expect(stderr).toBe('Provider 7 (provider-7) is active: member_count 3, 3 members.\n')
  expect(await w.items()).toEqual(stored)
  const { code: none, stderr: sentence } = await w.members(8)
  expect([none, sentence]).toEqual([1, expect.stringMatching(/^There is no provider 8 .*\n$/)])
})

test('the members command prints what a removal has answered until a membership is gone', async () => {
  const w = await world()
  await w.putProvider(sampleProvider(7), sampleUsers(250, { saml: 7 }))
  const { text } = await w.remove(7)
  const stderr = 'Provider 7 (provider-7) is removed: member_count 250, 250 members.\n'
  expect(await w.members(7)).toEqual({ code: 0, stdout: `${text}\n`, stderr })
  // Who is linked against the rules is not on the list.
  await w.put(userItem(sampleUser(300, { saml: 7 })), membershipItem(7, userId(300)))
  expect(await w.members(7)).toEqual({ code: 0, stdout: `${text}\n`, stderr })
  for (const n of [2, 300]) await w.drop(membershipKey(7, userId(n)))
  expect((await w.remove(7)).status).toBe(404)
  const gone = 'The list of provider 7 is not complete any more: TTL has begun to delete it.\n'
  expect(await w.members(7)).toEqual({ code: 1, stdout: '', stderr: gone })
})

test('the members command says how far a removal has come', async () => {
  const w = await world()
  await w.putProvider(sampleProvider(7), sampleUsers(3, { saml: 7 }))
  const retained_until = 4_102_444_800
  const removal = { removal_id: 'r', removal_started_at: '2026-01-01T00:00:00.000Z', retained_until }
  await w.put(
    { ...(await w.provider()), state: 'removing', ...removal },
    { ...membershipItem(7, userId(1)), expires_at: retained_until },
    { ...membershipItem(7, userId(2)), expires_at: retained_until - 1 },
  )
  const told = 'is removing: member_count 3, 1 of 3 members are unlinked: send the DELETE again.\n'
  expect((await w.members(7)).stderr).toContain(told)
})
