import { describe, expect, test } from 'vitest'
import { userItem } from '../../../lib/store/items.ts'
import { sampleProvider, sampleUser, userId } from '../../support/samples.ts'
import { itemsOf, ndjson, sharedScenario } from '../scenario.ts'
import { codeOf, isMissing, workingFolder } from './working-folder.ts'

const skipsSteps = isMissing('Keeping both systems in step', 'jq', 'comm', 'bash')

describe.skipIf(skipsSteps)('the steps that keep both systems in step', { timeout: 180_000 }, () => {
  const [steps = '', erase = ''] = codeOf('Keep both systems in step')
  const [recipe = ''] = codeOf('Move from another system')
  /** A table with a user who is in no dump, and the commands on it. */
  async function inStep(commands = '') {
    const s = await sharedScenario()
    const folder = workingFolder()
    await s.put(...itemsOf([], [sampleUser(1)]))
    const named = (text: string) => text.replaceAll('NAME', s.tableName)
    folder.write('in-step.sh', named(steps).replace(/^# Here: .*/m, commands))
    folder.write('gone', `${userId(99)}\n`) // of an earlier run
    return {
      ...folder,
      run: (command: string) => folder.run(named(command)),
      usersLeft: async () => (await s.items()).filter(({ SK }) => SK === 'USER').map(({ PK }) => PK),
      gone: () => (folder.has('gone') ? folder.read('gone') : undefined),
    }
  }

  test('erase who has left the old system', async () => {
    const { write, run, gone, usersLeft } = await inStep()
    write('dump.ndjson', ndjson(sampleProvider(7), sampleUser(2), sampleUser(3)))
    expect(await run('bash in-step.sh')).toMatchObject({ code: 0 })
    expect(gone()).toBe(`${userId(1)}\n`)
    write('dump.ndjson', ndjson(sampleProvider(7), sampleUser(3)))
    expect(await run('bash in-step.sh')).toMatchObject({ code: 0 })
    expect(gone()).toBe(`${userId(1)}\n${userId(2)}\n`)
    expect(await run(erase)).toMatchObject({ code: 0 })
    expect(await usersLeft()).toEqual([`USER#${userId(3)}`])
  })

  test('go on after the last provider was deleted in the old system', async () => {
    const psql = 'psql() { case "$*" in *users.sql) cat of-users ;; esac; }'
    const { write, run, gone } = await inStep(`${psql}\n${recipe}`)
    write('of-users', ndjson(sampleUser(2)))
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
    write('dump.ndjson', records)
    expect((await run('bash in-step.sh')).code).not.toBe(0)
    expect(gone()).toBeUndefined()
  })
})

test.skipIf(isMissing('Taking links away', 'jq', 'bash'))(
  'the lines that take the links from a user mend a link to a provider that never came, for which verify has no repair',
  async () => {
    const s = await sharedScenario()
    await s.put(userItem(sampleUser(1, { saml: 99 })))
    expect((await s.find()).faults).toMatchObject([{ repair: undefined }])
    const [lines = ''] = codeOf('Verify and repair')
    const own = lines.replaceAll('NAME', s.tableName).replace('USER_ID', userId(1))
    expect(await workingFolder().run(own)).toMatchObject({ code: 0 })
    expect((await s.find()).faults).toEqual([])
  },
)
