import { expect, test } from 'vitest'
import { sampleProvider, sampleUser, sampleUsers, userId } from '../support/samples.ts'
import { temporaryFile } from '../support/machine.ts'
import { dataHere, runData } from './running.ts'
import { itemsOf, sharedScenario } from './scenario.ts'

const provider = sampleProvider(7, 70)
const users = [{ saml: 7 }, { sso: 70 }, { saml: 7 }, {}].map((links, n) => sampleUser(n + 1, links))
const idsOf = (...numbers: number[]) => numbers.map(n => `${userId(n)}\n`).join('')

/** A table with these users, and the command on it. */
async function tableOf(stored: typeof users) {
  const s = await sharedScenario()
  await s.put(...itemsOf([provider], stored))
  const args = ['erase', '--table', s.tableName]
  return {
    ...s,
    args,
    erase: (...more: string[]) => dataHere(...args, ...more),
    /** Expects that only these users are left. */
    left: (...numbers: number[]) =>
      s.has(
        [provider],
        stored.filter((_, n) => numbers.includes(n + 1)),
      ),
    /** What the command prints. */
    said: (stdout: string, code = 0, ...absent: number[]) => ({
      code,
      stdout: `users: ${stdout} not there\n`,
      stderr: absent.map(n => `There is no user ${userId(n)} in ${s.tableName}.\n`).join(''),
    }),
  }
}

test('erase deletes a user and the memberships once', async () => {
  const { erase, left, said } = await tableOf(users)
  expect(await erase('--user', userId(1), '--dry-run')).toEqual(said('1 would be erased, 0'))
  await left(1, 2, 3, 4)
  expect(await erase('--user', userId(1))).toEqual(said('1 erased, 0'))
  await left(2, 3, 4)
  expect(await erase('--user', userId(1))).toEqual(said('0 erased, 1', 1, 1))
  expect(await erase('--user', userId(1), '--dry-run')).toEqual(said('0 would be erased, 1', 1, 1))
})

test('erase deletes the users of a list and names those who are not there', async () => {
  const { erase, left, said, args } = await tableOf(users)
  const ids = `${idsOf(2, 9, 1, 2)}\r\n\n${idsOf(4).trim()}\r`
  const file = temporaryFile(ids)
  expect(await erase('--users', file, '--dry-run')).toEqual(said('3 would be erased, 1', 0, 9))
  await left(1, 2, 3, 4)
  const { outcome } = runData([...args, '--users', '-'], { input: ids })
  expect(await outcome).toEqual(said('3 erased, 1', 0, 9))
  await left(3)
  expect(await erase('--users', file)).toEqual(said('0 erased, 4', 0, 1, 2, 4, 9))
  // A quiet day.
  expect(await erase('--users', temporaryFile('\r\n\n'))).toEqual(said('0 erased, 0'))
  await left(3)
})

test('erase opens no table when a line of the file is not an id', async () => {
  const file = temporaryFile(`${idsOf(1)}${idsOf(2)}5A3D1C9E-7B42-4F06-9D18-C0FFEE000003`)
  const stderr = `Nothing was erased, because line 3 of ${file} is not a UUID in lower case.\n`
  expect(await dataHere('erase', '--table', 'none', '--users', file)).toEqual({ code: 1, stdout: '', stderr })
})

const tooMany = 'the list has 11 users who are in the table, more than'
test.each([
  [99, 10, [], undefined],
  [110, 11, [], undefined],
  [109, 11, [], `${tooMany} ten and a tenth of all users. `],
  [109, 11, ['--max', '11'], undefined],
  [110, 11, ['--max', '10'], `${tooMany} --max 10. `],
])('of %i users, a list of %i with %j is erased, or nobody', async (count, listed, options, reason) => {
  const s = await tableOf(sampleUsers(count, { saml: 7 }))
  await s.put({ PK: `USER#${userId(1)}`, SK: 'SESSION#1' })
  const stored = await s.items()
  // Those who are not there do not count.
  const file = temporaryFile(idsOf(...Array.from({ length: listed }, (_, n) => n), 777, 778))
  const { code, stderr } = await s.erase('--users', file, ...options)
  expect(code).toBe(reason === undefined ? 0 : 1)
  if (reason !== undefined) {
    expect(stderr).toContain(`Nothing was erased: ${reason}If they are right, say --max ${listed}.`)
    expect(await s.items()).toEqual(stored)
  } else expect((await s.items()).filter(({ SK }) => SK === 'USER')).toHaveLength(count - listed)
})

test.each([
  [[], 'Say whom to erase, with --user or --users.'],
  [['--user', 'me'], "argument 'me' is invalid. It must be a UUID in lower case."],
  [['--user', userId(1), '--users', '-'], "'--users <FILE>' cannot be used with option '--user <UUID>'"],
])('erase refuses %j', async (options, sentence) => {
  const { code, stdout, stderr } = await dataHere('erase', '--table', 'any', ...options)
  expect([code, stdout]).toEqual([1, ''])
  expect(stderr.split('\n', 1)[0]).toContain(sentence)
})
