import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { type Item, userItem } from '../../../lib/store/items.ts'
import { sampleProvider, sampleUser, userId } from '../../support/samples.ts'
import { itemsOf, ndjson, scenario } from '../scenario.ts'
import { codeOf, isMissing, recipes, workingFolder } from './working-folder.ts'

const fixture = (name: string) => readFileSync(join(import.meta.dirname, 'files', name), 'utf8')

describe.skipIf(isMissing('The recipe for CSV', 'sqlite3', 'bash'))('the recipe for CSV', () => {
  const [sql = '', command = ''] = codeOf('CSV')
  const convert = async (header: string, ...rows: string[]) => {
    const { write, read, run } = workingFolder()
    write('users.csv', [header, ...rows, ''].join('\n'))
    write('convert.sql', sql)
    const { code } = await run(command)
    return { code, users: read('users.ndjson') }
  }

  test('keeps each value, or leaves it to import to refuse it', async () => {
    const row = (n: number, values: string) => `${userId(n)},user-${n},,,${values}`
    const { code, users } = await convert(
      'id,login,first_name,email,provider_id,disabled,last_login',
      row(1, '7,TRUE,2024-12-31 10:00:00'),
      row(2, ',false,'),
      row(3, '7x,true,'),
      row(4, 'okta,true,'),
      row(5, '07,true,'),
      row(6, ',yes,'),
      row(7, ',,'),
      row(8, ',true,31.12.2024 10:00'),
      row(9, ',true,1700000000'),
      row(10, ',true,2024-02-30 10:00:00'),
    )
    expect(code).toBe(0)
    const s = await scenario()
    const { faults } = await s.import(ndjson(sampleProvider(7)) + users)
    const link = 'saml_provider_id must be a whole number of 32 bits or null, and is'
    const flag = 'is_disabled must be true or false, and is'
    const time = 'last_login must be an ISO 8601 time such as 2026-01-31T09:30:00.000Z or null, and is'
    expect(faults).toEqual([
      `4: ${link} "7x"`,
      `5: ${link} "okta"`,
      `6: ${link} "07"`,
      `7: ${flag} "yes"`,
      `8: ${flag} ""`,
      `9: ${time} "31.12.2024T10:00Z"`,
      `10: ${time} "1700000000Z"`,
      `11: ${time} "2024-02-30T10:00:00Z"`,
    ])
    const items = await s.items()
    const stored = items.filter(({ SK }) => SK === 'USER').map(one => [one.is_disabled, one.last_login])
    expect(stored).toEqual([
      [true, '2024-12-31T10:00:00.000Z'],
      [false, undefined],
    ])
    expect(items).toContainEqual({ PK: 'SAML_PROVIDER#7', SK: `USER#${userId(1)}` })
  })

  test('fails when the file has no such column', async () => {
    expect((await convert('id,login', '1,a')).code).not.toBe(0)
  })
})

const skipsSteps = isMissing('Keeping both systems in step', 'jq', 'comm', 'bash')

describe.skipIf(skipsSteps)('the steps that keep both systems in step', { timeout: 180_000 }, () => {
  const [steps = '', erase = ''] = codeOf('Keep both systems in step')
  const keycloak = (codeOf('Keycloak')[0] ?? '').replace(/^kc.sh .*/, '')
  const { users, ...realm } = JSON.parse(fixture('keycloak-realm.json'))
  const [ada, ben, cleo] = users
  const link = (user: object, ...aliases: string[]) => ({
    ...user,
    federatedIdentities: aliases.map(identityProvider => ({ identityProvider })),
  })

  /** A table with a user who is in no dump, and the commands on it. */
  async function inStep(commands: string, files = 'records.ndjson') {
    const s = await scenario()
    const folder = workingFolder()
    await s.put(...itemsOf([], [sampleUser(1)]))
    const named = (text: string) => text.replaceAll('NAME', s.tableName)
    folder.write(
      'in-step.sh',
      named(steps)
        .replaceAll('records.ndjson', files)
        .replace(/^# Here: .*/m, commands),
    )
    folder.write('gone', `${userId(99)}\n`) // of an earlier run
    return {
      ...folder,
      run: (command: string) => folder.run(named(command)),
      usersLeft: async () => (await s.items()).filter(({ SK }) => SK === 'USER').map(({ PK }) => PK),
      gone: () => (folder.has('gone') ? folder.read('gone') : undefined),
    }
  }

  test('erase who has left Keycloak, and nobody whom convert cannot decide', async () => {
    const { write, run, gone, usersLeft } = await inStep(keycloak)
    const export_ = (...some: object[]) => write('realm.json', JSON.stringify({ ...realm, users: some }))
    export_(ada, ben, link(cleo, 'acme-okta'))
    expect(await run('bash in-step.sh')).toMatchObject({ code: 0 })
    expect(gone()).toBe(`${userId(1)}\n`)
    export_(ada, cleo)
    expect((await run('bash in-step.sh')).code).toBe(1)
    expect(gone()).toBeUndefined()
    export_(ada, link(cleo, 'acme-okta'))
    expect(await run('bash in-step.sh')).toMatchObject({ code: 0 })
    expect(gone()).toBe(`${userId(1)}\n${ben.id}\n`)
    expect(await run(erase)).toMatchObject({ code: 0 })
    expect(await usersLeft()).toEqual([`USER#${cleo.id}`, `USER#${ada.id}`])
  })

  test('find nobody else in an answer of BloodHound CE', async () => {
    const { write, run, gone } = await inStep('', 'saml-providers.json users.json')
    write('saml-providers.json', fixture('bloodhound-saml-providers.json'))
    write('users.json', JSON.stringify(JSON.parse(fixture('bloodhound-users.json'))))
    expect(await run('bash in-step.sh')).toMatchObject({ code: 0 })
    expect(gone()).toBe(`${userId(1)}\n`)
  })

  test.each([
    ['a command of the recipe that fails', ndjson(sampleUser(2)), 'false'],
    ['a record that import refuses', ndjson({ ...sampleUser(2), id: '4711' }), ''],
    ['a file that is cut off', `${ndjson(sampleUser(2))}{"id":`, ''],
    ['an empty file', '', ''],
    ['files without users', ndjson(sampleProvider(7)), ''],
    ['a failure of jq', ndjson(sampleUser(2)), 'jq() { return 5; }'],
  ])('find nobody after %s', async (_, records, commands) => {
    const { write, run, gone } = await inStep(commands)
    write('records.ndjson', records)
    expect((await run('bash in-step.sh')).code).not.toBe(0)
    expect(gone()).toBeUndefined()
  })
})

describe.skipIf(isMissing('Taking links away', 'jq', 'bash'))(
  'the lines that take the links from a user',
  () => {
    const removed = {
      state: 'removed',
      removal_id: 'r',
      removed_at: '2026-01-01T00:00:00.000Z',
      affected_total: 0,
    }
    const kept = {
      removal_started_at: removed.removed_at,
      retained_until: 4_000_000_000,
      expires_at: 4_000_000_000,
    }

    test.each([
      ['a provider that never came', [], sampleUser(1, { saml: 99 })],
      [
        'a removed provider and another one',
        [sampleProvider(7, 70), sampleProvider(8, 70)],
        sampleUser(1, { sso: 70 }),
      ],
    ])('mend a link to %s, for which verify has no repair', async (_, providers, user) => {
      const s = await scenario()
      const [first, ...others] = itemsOf(providers, []) as [Item, ...Item[]]
      await s.put(
        ...(first === undefined ? [] : [{ ...first, ...removed, ...kept }]),
        ...others,
        userItem(user),
      )
      const withoutRepair = async () => (await s.find()).faults.filter(({ repair }) => repair === undefined)
      expect(await withoutRepair()).toHaveLength(1)
      const [lines = ''] = codeOf('Verify and repair')
      const own = lines.replaceAll('NAME', s.tableName).replace('USER_ID', userId(1))
      expect(await workingFolder().run(own)).toMatchObject({ code: 0 })
      expect((await s.find()).faults).toEqual([])
    })
  },
)

test('curl fails when an answer is an error', () => {
  const calls = recipes.match(/^curl .*/gm) ?? []
  expect(calls.length).toBeGreaterThan(0)
  expect(calls.filter(call => !call.startsWith('curl -f '))).toEqual([])
})
