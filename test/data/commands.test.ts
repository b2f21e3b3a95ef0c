import { readdirSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { describe, expect, test } from 'vitest'
import { plainOf } from '../../infra/data/export.ts'
import { samlProviderShape, type User, userShape } from '../../lib/domain/resources.ts'
import { namedPipe, temporaryFile, temporaryFolder } from '../support/machine.ts'
import { sampleProvider, sampleUser, userId } from '../support/samples.ts'
import { dataHere, runData } from './running.ts'
import { inState, itemsOf, ndjson, sharedScenario } from './scenario.ts'

const provider = sampleProvider(7)
const users: [User, User] = [sampleUser(1, { saml: 7 }), sampleUser(2)]
const linesOf = (text: string) => text.trimEnd().split('\n')
const valuesOf = (text: string) => linesOf(text).map(line => JSON.parse(line))

describe('npm run data -- import', () => {
  test('reads files, named pipes and standard input once', async () => {
    const s = await sharedScenario()
    const files = [temporaryFile(ndjson(provider)), namedPipe(), '/dev/stdin']
    const [one, two] = users
    const TMPDIR = temporaryFolder()
    const args = ['import', '--table', s.tableName, ...files]
    const { outcome } = runData(args, { input: ndjson(two), env: { TMPDIR } })
    await writeFile(files[1] as string, ndjson(one))
    // The file in which it keeps users has no name: nothing is left behind, however the import ends.
    await expect.poll(() => readdirSync(TMPDIR), { timeout: 60_000 }).toEqual([])
    const stderr =
      'providers: 1 read, 1 written\nusers: 2 read, 2 written\n  provider 7: 1 users join, 0 leave\n'
    expect(await outcome).toEqual({ code: 0, stdout: '', stderr })
    await s.has([provider], users)
  })

  test('prints the faults for programs, without data of people', async () => {
    const s = await sharedScenario()
    const phone = 491_701_234_567
    const names = { shoe_size: 43, 'Ada Lovelace': 1, 'ada.lovelace@': 1, [phone]: 1 }
    const faulty = [
      { ...sampleUser(3), last_name: phone, email_address: ['ada@example.com'], ...names },
      { ...sampleUser(5), id: 'ada@example.com' },
      { ...sampleUser(6), id: phone },
    ]
    const file = temporaryFile(ndjson(...faulty, users[1]))
    const args = ['import', '--table', s.tableName, file]
    const { code, stdout, stderr } = await dataHere(...args)
    const reason =
      'last_name must be text or null, and is a number; email_address must be text or null, and is a list'
    const lines = [
      { kind: 'fault', place: `${file}:1`, id: userId(3), reason },
      { kind: 'fault', place: `${file}:2`, reason: 'id must be a UUID, and is a text' },
      { kind: 'fault', place: `${file}:3`, reason: 'id must be text, and is a number' },
    ]
    expect([code, valuesOf(stdout)]).toEqual([1, lines])
    expect(stdout + stderr).not.toMatch(/ada|Ada|4917/)
    expect(linesOf(stderr)).toEqual([
      'unknown fields, which are left out: shoe_size, …',
      '3 faults: nothing was written.',
    ])
    expect(await s.items()).toEqual([])
    const records = faulty.map(record => JSON.stringify(record))
    const { stdout: withRecords } = await dataHere(...args, '--records')
    expect(valuesOf(withRecords)).toEqual(lines.map((line, n) => ({ ...line, record: records[n] })))
  })

  test('prints what differs or would be updated', async () => {
    const s = await sharedScenario()
    await s.put(...itemsOf([], [sampleUser(4)]))
    const other = { ...sampleUser(4), first_name: 'Ada' }
    const file = temporaryFile(ndjson(other, users[1]))
    const run = (...options: string[]) => dataHere('import', '--table', s.tableName, file, ...options)
    const line = (reason: string) => ndjson({ kind: 'difference', place: `${file}:1`, id: other.id, reason })
    expect(await run('--update', '--dry-run')).toEqual({
      code: 0,
      stdout: line('--update changes first_name'),
      stderr: 'Nothing was written.\nproviders: 0 read\nusers: 2 read, 1 to be written, 1 to be updated\n',
    })
    await s.has([], [sampleUser(4)])
    expect(await run()).toEqual({
      code: 1,
      stdout: line('the table has other values, which --update changes: first_name'),
      stderr: 'providers: 0 read\nusers: 2 read, 1 written, 1 differing\n',
    })
    await s.has([], [users[1], sampleUser(4)])
  })

  test('takes --unlink several times', async () => {
    const s = await sharedScenario()
    const linked = [1, 2].map(n => sampleUser(n, { saml: n }))
    const args = ['import', '--table', s.tableName, temporaryFile(ndjson(...linked))]
    expect((await dataHere(...args, '--unlink', '1', '--unlink', '2')).code).toBe(0)
    await s.has(
      [],
      [1, 2].map(n => sampleUser(n)),
    )
  })

  test('says that a file is not there before it opens the table', async () => {
    const { code, stderr } = await dataHere('import', '--table', 'none', '/there/is/none')
    const sentence = /^ENOENT: [^\n]*'\/there\/is\/none'\n$/
    expect([code, stderr]).toEqual([1, expect.stringMatching(sentence)])
  })
})

test('export prints what import reads', async () => {
  const s = await sharedScenario()
  const other = itemsOf([sampleProvider(8)], [])
  const ofAnother = { PK: `CLIENT#${userId(1)}`, SK: 'USER' }
  await s.put(...itemsOf([provider], users), ...inState('removed', other), ofAnother)
  const outcome = () => dataHere('export', '--table', s.tableName)
  const leftOut = 'Left out, because they are being removed, or were removed: the providers 8.\n'
  const { stdout, ...ended } = await outcome()
  expect(ended).toEqual({ code: 0, stderr: leftOut })
  const [first, ...others] = valuesOf(stdout)
  expect(first).toEqual(plainOf(samlProviderShape, provider))
  expect(first).toHaveProperty('deleted_at', null)
  const byId = others.toSorted((one, other) => (one.id < other.id ? -1 : 1))
  expect(byId).toEqual(users.map(user => plainOf(userShape, user)))

  await s.put(...inState('removing', other))
  const remedy = 'finish it first (send the same DELETE), or import with --unlink 8.\n'
  expect((await outcome()).stderr).toBe(
    `${leftOut}The removal of provider 8 is under way, and users are still linked to it: ${remedy}`,
  )
  // Nobody knows whether this one is removed.
  await s.put(...inState('enabled', other))
  const stderr = 'Left out, because their state is unknown: the providers 8. verify shows them.\n'
  expect(await outcome()).toEqual({ code: 1, stdout, stderr })
})
