import { closeSync, openSync, readdirSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { describe, expect, onTestFinished, test } from 'vitest'
import { plainOf } from '../../infra/data/export.ts'
import { samlProviderShape, type User, userShape } from '../../lib/domain/resources.ts'
import { sampleProvider, sampleUser } from '../support/samples.ts'
import { namedPipe, temporaryFile, temporaryFolder } from '../support/machine.ts'
import { dataHere, runData } from './command-process.ts'
import { itemsOf, ndjson, sharedScenario } from './scenario.ts'

const provider = sampleProvider(7)
const users: [User, User] = [sampleUser(1, { saml: 7 }), sampleUser(2)]
const linesOf = (text: string) => text.trimEnd().split('\n')
const valuesOf = (text: string) => linesOf(text).map(line => JSON.parse(line))

describe('npm run data -- import', () => {
  test('reads files, named pipes and standard input, each once, and prints what it did', async () => {
    const s = await sharedScenario()
    const files = [temporaryFile(ndjson(provider)), namedPipe(), '/dev/stdin']
    const [one, two] = users
    const TMPDIR = temporaryFolder()
    const args = ['import', '--table', s.tableName, ...files]
    const { outcome } = runData(args, { input: ndjson(two), env: { TMPDIR } })
    await writeFile(files[1] as string, ndjson(one))
    // The file in which it keeps users has no name: nothing is left behind, however the import ends.
    expect(readdirSync(TMPDIR)).toEqual([])
    const { stderr, ...ended } = await outcome
    expect(ended).toEqual({ code: 0, stdout: '' })
    expect(linesOf(stderr)).toEqual([
      'providers: 1 read, 1 written',
      'users: 2 read, 2 written',
      '  provider 7: 1 users join, 0 leave',
    ])
    expect(await s.items()).toEqual(itemsOf([provider], users))
  })

  test('prints place, id and reason of each fault for programs, and no data of people', async () => {
    const s = await sharedScenario()
    const phone = 491_701_234_567
    const odd = {
      ...sampleUser(3),
      is_disabled: 1,
      last_name: phone,
      [phone]: 1,
      email_address: ['ada@example.com'],
      shoe_size: 43,
      'Ada Lovelace': 1,
      'ada.lovelace@': 1,
    }
    const addressed = { ...sampleUser(5), id: 'ada@example.com' }
    const called = { ...sampleUser(6), id: phone }
    const file = temporaryFile(ndjson(odd, addressed, called, users[1]))
    const args = ['import', '--table', s.tableName, file]
    const { code, stdout, stderr } = await dataHere(...args)
    const first =
      'last_name must be text or null, and is a number; email_address must be text or null, and is a list'
    const lines = [
      {
        ...{ kind: 'fault', place: `${file}:1`, id: odd.id },
        reason: `${first}; is_disabled must be true or false, and is a number`,
      },
      { kind: 'fault', place: `${file}:2`, reason: 'id must be a UUID, and is a text' },
      { kind: 'fault', place: `${file}:3`, reason: 'id must be text, and is a number' },
    ]
    expect([code, valuesOf(stdout)]).toEqual([1, lines])
    expect(stdout + stderr).not.toMatch(/ada|Ada|4917/)
    expect(linesOf(stderr)).toEqual([
      'unknown fields, which are left out: …, shoe_size',
      '3 faults: nothing was written.',
    ])
    expect(await s.items()).toEqual([])
    const { stdout: withRecords } = await dataHere(...args, '--records')
    const records = [odd, addressed, called].map(one => JSON.stringify(one))
    expect(valuesOf(withRecords)).toEqual(lines.map((line, n) => ({ ...line, record: records[n] })))
  })

  test('prints what differs, writes all others, and nothing with --dry-run', async () => {
    const s = await sharedScenario()
    await s.put(...itemsOf([], [sampleUser(4)]))
    const other = { ...sampleUser(4), first_name: 'Ada' }
    const file = temporaryFile(ndjson(other, users[1]))
    const args = ['import', '--table', s.tableName, file]
    const about = { kind: 'difference', place: `${file}:1`, id: other.id }
    expect(await dataHere(...args, '--update', '--dry-run')).toEqual({
      code: 0,
      stdout: `${JSON.stringify({ ...about, reason: '--update changes first_name' })}\n`,
      stderr: 'Nothing was written.\nproviders: 0 read\nusers: 2 read, 1 to be written, 1 to be updated\n',
    })
    expect(await s.items()).toEqual(itemsOf([], [sampleUser(4)]))
    const reason = 'the table has other values, which --update changes: first_name'
    expect(await dataHere(...args)).toEqual({
      code: 1,
      stdout: `${JSON.stringify({ ...about, reason })}\n`,
      stderr: 'providers: 0 read\nusers: 2 read, 1 written, 1 differing\n',
    })
    expect(await s.items()).toEqual(itemsOf([], [users[1], sampleUser(4)]))
  })

  test('says in one sentence that a file is not there, before it opens the table', async () => {
    const { code, stderr } = await dataHere('import', '--table', 'none', '/there/is/none')
    const sentence = /^\/there\/is\/none cannot be used: it does not exist[^\n]*\n$/
    expect([code, stderr]).toEqual([1, expect.stringMatching(sentence)])
  })
})

test('npm run data -- export prints what import reads, and names the omitted providers', async () => {
  const s = await sharedScenario()
  const [removed, ...rest] = itemsOf([sampleProvider(8)], [])
  await s.put(...itemsOf([provider], users), { ...removed, state: 'removed' }, ...rest)
  const outcome = () => dataHere('export', '--table', s.tableName)
  const exported = await outcome()
  expect(exported).toMatchObject({
    code: 0,
    stderr: 'Left out, because they are being removed, or were removed: the providers 8.\n',
  })
  const [first, ...others] = valuesOf(exported.stdout)
  expect(first).toEqual(plainOf(samlProviderShape, provider))
  expect(others.toSorted((one, other) => (one.id < other.id ? -1 : 1))).toEqual(
    users.map(user => plainOf(userShape, user)),
  )

  await s.put({ ...removed, state: 'removing' })
  expect((await outcome()).stderr).toBe(
    'Left out, because they are being removed, or were removed: the providers 8.\n' +
      'The removal of provider 8 is under way, and users are still linked to it: finish it first (send the same DELETE), or import with --unlink 8.\n',
  )

  // Nobody knows whether this one is removed.
  await s.put({ ...removed, state: 'enabled' })
  expect(await outcome()).toEqual({
    code: 1,
    stdout: exported.stdout,
    stderr: 'Left out, because their state is unknown: the providers 8. verify shows them.\n',
  })
})

// A device that is always full, as a disk can be.
test.skipIf(process.platform !== 'linux')(
  'npm run data -- verify does not end as if all were well when what it prints cannot be written',
  async () => {
    const s = await sharedScenario()
    const full = openSync('/dev/full', 'w')
    onTestFinished(() => closeSync(full))
    const { outcome } = runData(['verify', '--table', s.tableName], { stdout: full })
    expect(await outcome).toEqual({
      code: 2,
      stdout: '',
      stderr: 'Standard output cannot be used: the disk is full; free some space.\n',
    })
  },
)
