import { expect, test } from 'vitest'
import { sampleProvider, sampleUser, userId } from '../support/samples.ts'
import { temporaryFile } from '../support/temporary-folder.ts'
import { dataHere, runData } from './command-process.ts'
import { itemsOf, scenario } from './scenario.ts'

const provider = sampleProvider(7, 70)
const users = [
  sampleUser(1, { saml: 7 }),
  sampleUser(2, { sso: 70 }),
  sampleUser(3, { saml: 7 }),
  sampleUser(4),
]
const idsOf = (...numbers: number[]) => numbers.map(n => `${userId(n)}\n`).join('')
const absent = (n: number, table: string) => `There is no user ${userId(n)} in ${table}.\n`

/** A table with the provider and the users. */
async function filled() {
  const s = await scenario()
  await s.put(...itemsOf([provider], users))
  const left = async (...numbers: number[]) =>
    expect(await s.items()).toEqual(
      itemsOf(
        [provider],
        users.filter((_, n) => numbers.includes(n + 1)),
      ),
    )
  const erase = (...args: string[]) => dataHere('erase', '--table', s.tableName, ...args)
  return { table: s.tableName, left, erase }
}

test('erase deletes a user and the memberships, and fails when there is no such user', async () => {
  const { table, left, erase } = await filled()
  const outcome = (stdout: string) => ({ code: 0, stdout, stderr: '' })
  expect(await erase('--user', userId(1), '--dry-run')).toEqual(
    outcome('users: 1 would be erased, 0 not there\n'),
  )
  await left(1, 2, 3, 4)
  expect(await erase('--user', userId(1))).toEqual(outcome('users: 1 erased, 0 not there\n'))
  await left(2, 3, 4)
  for (const more of [[], ['--dry-run']])
    expect(await erase('--user', userId(1), ...more)).toEqual({
      code: 1,
      stdout: `users: 0 ${more.length > 0 ? 'would be ' : ''}erased, 1 not there\n`,
      stderr: absent(1, table),
    })
})

test('erase deletes the users of a file, names those who are not there, and can be repeated', async () => {
  const { table, left, erase } = await filled()
  const file = temporaryFile(`${idsOf(2, 9, 1, 2)}\r\n\n${idsOf(4).trim()}\r`)
  expect(await erase('--users', file, '--dry-run')).toEqual({
    code: 0,
    stdout: 'users: 3 would be erased, 1 not there\n',
    stderr: absent(9, table),
  })
  await left(1, 2, 3, 4)
  expect(await erase('--users', file)).toEqual({
    code: 0,
    stdout: 'users: 3 erased, 1 not there\n',
    stderr: absent(9, table),
  })
  await left(3)
  expect(await erase('--users', file)).toMatchObject({ code: 0, stdout: 'users: 0 erased, 4 not there\n' })
})

test('erase reads ids from standard input', async () => {
  const { table, left } = await filled()
  const { outcome } = runData(['erase', '--table', table, '--users', '-'], { input: idsOf(1, 3) })
  expect(await outcome).toEqual({ code: 0, stdout: 'users: 2 erased, 0 not there\n', stderr: '' })
  await left(2, 4)
})

test.each([
  ['another word', `${idsOf(1)}me\n${idsOf(2)}`, '2'],
  ['upper case', `${idsOf(1)}${idsOf(2)}5A3D1C9E-7B42-4F06-9D18-C0FFEE000003`, '3'],
  ['two ids in a line', `${idsOf(1)}${userId(2)} ${userId(3)}\n`, '2'],
  [
    'more behind an id, in a line that comes in pieces',
    `${idsOf(1)}${userId(2)}${' '.repeat(100)}x${' '.repeat(200_000)}\n`,
    '2',
  ],
  ['a record', `\n${JSON.stringify({ id: userId(1) })}\n`, '2'],
  ['another text encoding', Buffer.from(idsOf(1), 'utf16le').toString('latin1'), '1, 2'],
  ['twelve such lines', 'me\n'.repeat(12), '1, 2, 3, 4, 5, 6, 7, 8, 9, 10 and 2 others'],
])('erase deletes nobody when a line of the file is not an id: %s', async (_, text, lines) => {
  const { left, erase } = await filled()
  const file = temporaryFile(text)
  expect(await erase('--users', file)).toEqual({
    code: 1,
    stdout: '',
    stderr: `Nothing was erased, because a line of ${file} is not a UUID in lower case: ${lines}.\n`,
  })
  await left(1, 2, 3, 4)
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
