import { describe, expect, test } from 'vitest'
import type { Item } from '../../lib/store/items.ts'
import { sampleProvider, sampleUser, userId } from '../support/samples.ts'
import { world } from '../support/world.ts'
import { dataHere } from './command-process.ts'

const run = (command: string, table: string, ...args: string[]) =>
  dataHere(command, '--table', table, ...args)

describe('npm run data -- affected', () => {
  test('prints the answer of the DELETE', async () => {
    const w = await world()
    const members = Array.from({ length: 250 }, (_, n) => sampleUser(n, { saml: 7 }))
    await w.putProvider(sampleProvider(7), members)
    const { text } = await w.remove(7)
    expect(await run('affected', w.tableName, '--provider', '7')).toEqual({
      code: 0,
      stdout: `${text}\n`,
      stderr: '',
    })
  })

  test('reports that a removal is unfinished', async () => {
    const w = await world()
    await w.putProvider(sampleProvider(7), [sampleUser(1, { saml: 7 })])
    const provider = (await w.items()).find(item => item.PK === 'SAML_PROVIDERS')
    await w.put({ ...provider, state: 'removing' })
    expect((await run('affected', w.tableName, '--provider', '7')).stderr).toBe(
      'The removal is unfinished, 0 of 1 users are unlinked: send the DELETE again.\n',
    )
  })
})

describe('npm run data -- preview', () => {
  const withoutPassword = (n: number, links: { saml?: number; sso?: number }) => ({
    ...sampleUser(n, links),
    AuthSecret: null,
  })

  test('prints the affected users, names those without another way to sign in, and writes nothing', async () => {
    const w = await world()
    const members = [
      sampleUser(1, { saml: 7 }),
      withoutPassword(2, { saml: 7 }),
      withoutPassword(3, { sso: 70 }),
      withoutPassword(4, { saml: 7, sso: 70 }),
      withoutPassword(5, { saml: 7, sso: 99 }),
      withoutPassword(6, { saml: 8, sso: 70 }),
    ]
    await w.putProvider(sampleProvider(7, 70), members)
    const before = await w.items()
    const { code, stdout, stderr } = await run('preview', w.tableName, '--provider', '7')
    expect(code).toBe(0)
    expect(await w.items()).toEqual(before)
    const { affected_user } = JSON.parse(stdout).data
    expect(affected_user).toEqual(members)
    expect(stderr.split('\n')).toEqual([
      ...[2, 3, 4].map(n => `No other way to sign in: ${userId(n)} user-${n}@example.com`),
      '6 users would be affected, 3 of them would have no other way to sign in.',
      '',
    ])
    const ids = (users: { id: string }[]) => users.map(({ id }) => id)
    expect(ids((await w.remove(7)).json().data.affected_user)).toEqual(ids(affected_user))
  })
})

test('affected and preview each name the other for a provider in the wrong state', async () => {
  const w = await world()
  await w.putProvider(sampleProvider(7))
  await w.putProvider(sampleProvider(8))
  await w.remove(7)
  for (const [command, id, sentence] of [
    ['affected', '8', 'Provider 8 is active, not removed: preview shows its users.'],
    ['preview', '7', 'Provider 7 was removed: affected shows its users.'],
    ['affected', '9', `There is no provider 9 in ${w.tableName}, or nothing is left of it.`],
  ] as const)
    expect(await run(command, w.tableName, '--provider', id)).toEqual({
      code: 1,
      stdout: '',
      stderr: `${sentence}\n`,
    })
})

describe('--all counts the users of', () => {
  /** More than one page of users, of whom every second has no password. */
  const many = Array.from({ length: 120 }, (_, n) => {
    const user = sampleUser(n, { saml: 7 })
    return n % 2 === 0 ? user : { ...user, AuthSecret: null }
  })
  /** Providers 7 and 8 are active; 9 and 10 are in removal, of which two users and none are unlinked; 11 was removed. */
  async function filled() {
    const w = await world()
    await w.putProvider(sampleProvider(7), many)
    await w.putProvider(sampleProvider(8))
    for (const id of [9, 10, 11])
      await w.putProvider(
        sampleProvider(id),
        [1, 2, 3].map(n => sampleUser(1000 * id + n, { saml: id })),
      )
    for (const id of [9, 10, 11]) await w.remove(id)
    const isOf = (id: number) => (item: Item) => item.PK === `SAML_PROVIDER#${id}`
    const items = await w.items()
    const unmarked = [...items.filter(isOf(10)), ...items.filter(isOf(9)).slice(0, 1)]
    await w.put(...unmarked.map(({ expires_at, ...membership }) => membership))
    const removed = items.filter(({ SK }) => /^PROVIDER#0{8}(09|10)$/.test(String(SK)))
    await w.put(
      ...removed.map(({ removed_at, expires_at, ...provider }) => ({ ...provider, state: 'removing' })),
    )
    return (command: string, ...more: string[]) => run(command, w.tableName, '--all', ...more)
  }
  const table = [
    ['preview', { provider: 7, users: 120, stranded: 60 }],
    ['preview', { provider: 8, users: 0, stranded: 0 }],
    ['affected', { provider: 9, state: 'removing', users: 3, unlinked: 2 }],
    ['affected', { provider: 10, state: 'removing', users: 3, unlinked: 0 }],
    ['affected', { provider: 11, state: 'removed', users: 3, unlinked: 3 }],
  ] as const
  const lines = {
    preview: [
      '7 provider-7: 120 users would be affected, 60 of them would have no other way to sign in.',
      '8 provider-8: 0 users would be affected, 0 of them would have no other way to sign in.',
    ],
    affected: [
      '9 provider-9: removing, 2 of 3 users are unlinked.',
      '10 provider-10: removing, 0 of 3 users are unlinked.',
      '11 provider-11: removed, 3 of 3 users are unlinked.',
    ],
  }

  test.each(['preview', 'affected'] as const)('each provider that %s is for', async command => {
    const all = await filled()
    const { stdout, ...rest } = await all(command, '--json')
    const printed = stdout
      .trim()
      .split('\n')
      .map(line => JSON.parse(line))
    const meant = table.filter(([one]) => one === command)
    expect(printed).toEqual(
      meant.map(([, { provider, ...counts }]) => ({ provider, name: `provider-${provider}`, ...counts })),
    )
    expect(rest).toEqual({ code: 0, stderr: '' })
    expect(await all(command)).toEqual({
      code: 0,
      stdout: lines[command].map(line => `${line}\n`).join(''),
      stderr: '',
    })
  })
})

test.each([
  [['--provider', '07'], "argument '07' is invalid. It must be a number such as 7."],
  [[], 'Say which provider, with --provider or --all.'],
  [['--all', '--provider', '7'], "option '--all' cannot be used with option '--provider <ID>'"],
])('the commands for providers refuse %j', async (options, sentence) => {
  for (const command of ['preview', 'affected']) {
    const { code, stdout, stderr } = await run(command, 'any', ...options)
    expect([code, stdout]).toEqual([1, ''])
    expect(stderr.split('\n', 1)[0]).toContain(sentence)
  }
})
