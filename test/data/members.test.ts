import { describe, expect, test } from 'vitest'
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
      '6 users would be affected, 3 of them would have no other way to sign in:',
      ...[2, 3, 4].map(n => `${userId(n)} user-${n}@example.com`),
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

test('the commands for a provider refuse an invalid id', async () => {
  const { code, stdout, stderr } = await run('preview', 'any', '--provider', '07')
  expect([code, stdout]).toEqual([1, ''])
  expect(stderr.split('\n', 1)[0]).toContain("argument '07' is invalid. It must be a number such as 7.")
})
