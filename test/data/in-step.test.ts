import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { projectRoot } from '../../infra/project-root.ts'
import { sampleProvider, sampleUser, sampleUsers, userId } from '../support/samples.ts'
import { codeOf, isMissing, workingFolder } from './documented-commands.ts'
import { itemsOf, ndjson, sharedScenario } from './scenario.ts'

const skipsSteps = isMissing('Keeping both systems in step', 'jq', 'comm', 'bash')

describe.skipIf(skipsSteps)('the steps that keep both systems in step', { timeout: 180_000 }, () => {
  const steps = readFileSync(join(projectRoot, 'infra/data/recipe/in-step.sh'), 'utf8')
  const [erase = ''] = codeOf('Keep both systems in step')
  const [recipe = ''] = codeOf('Move from another system')
  /** A table with a user who is in no dump, and the commands on it. */
  async function inStep(commands: string) {
    const s = await sharedScenario()
    const folder = workingFolder()
    await s.put(...itemsOf([], [sampleUser(1)]))
    const named = (text: string) => text.replaceAll('NAME', s.tableName)
    folder.write('in-step.sh', named(steps).replace(/^# Here: .*/m, commands))
    folder.write('gone', `${userId(99)}\n`) // of an earlier run
    return { ...folder, s, run: (command: string) => folder.run(named(command)) }
  }

  test('erase who has left the old system, also after it deleted its last provider', async () => {
    const psql = 'psql() { case "$*" in *users.sql) cat of-users ;; esac; }'
    const { write, run, read, s } = await inStep(`${psql}\n${recipe}`)
    write('of-users', ndjson(sampleUser(2)))
    expect(await run('bash in-step.sh')).toMatchObject({ code: 0 })
    expect(read('gone')).toBe(`${userId(1)}\n`)
    expect(await run(erase)).toMatchObject({ code: 0 })
    expect(await s.items()).toEqual(itemsOf([], [sampleUser(2)]))
  })

  // The start of a process by npm takes as long as all else.
  const here = `npm() { shift 4; '${process.execPath}' infra/commands/data.ts "$@"; }`
  const named = (n: number, principal_name: string) => ({ ...sampleUser(n), principal_name })
  const bad = (n: number) => ({ ...sampleUser(n), is_disabled: 1 })

  test.each<[name: string, records: string, state?: string]>([
    ['a file without users', ndjson(sampleProvider(8))],
    ['a fault without a line', ndjson(sampleUser(2)), 'of another program'],
    ["a new provider's bad line", ndjson({ ...sampleProvider(8), name: 5 }, sampleUser(2, { saml: 8 }))],
  ])('change no user and find nobody after %s', async (_, records, state = 'removed') => {
    const { write, run, read, s } = await inStep(here)
    const [provider] = itemsOf([sampleProvider(7)], [])
    await s.put({ ...provider, state })
    const before = await s.items()
    write('dump.ndjson', records)
    expect((await run('bash in-step.sh')).code).toBe(1)
    expect(read('gone')).toBeUndefined()
    expect((await s.items()).filter(({ id }) => id !== 8)).toEqual(before)
  })

  test('find nobody while nobody knows whose a bad line is', async () => {
    const { write, run, read } = await inStep(here)
    write('dump.ndjson', `${ndjson(sampleUser(2))}{"id":"${userId(1).slice(0, 9)}`)
    expect(await run('bash in-step.sh')).toMatchObject({
      code: 1,
      output: expect.stringMatching(/has no id: see told\.$/m),
    })
    expect(read('gone')).toBeUndefined()
  })

  test('find nobody after a failure of jq', async () => {
    const { write, run, read } = await inStep(`${here}\njq() { command jq "$@"; return 5; }`)
    write('dump.ndjson', ndjson(sampleUser(2)))
    expect((await run('bash in-step.sh')).code).not.toBe(0)
    expect(read('gone')).toBeUndefined()
  })

  test('import 200 changes when there is no fault', async () => {
    const { write, run, read, s } = await inStep(here)
    const users = Array.from({ length: 200 }, (_, n) => named(n + 1, 'new'))
    await s.put(...itemsOf([], sampleUsers(201).slice(1)))
    write('dump.ndjson', ndjson(...users))
    expect(await run('bash in-step.sh')).toMatchObject({ code: 0 })
    expect(read('gone')).toBe('')
    expect(await s.items()).toEqual(itemsOf([], users))
  })

  test('leave out each line with a fault, import all others, and end with 1', async () => {
    const { write, run, read, s } = await inStep(here)
    await s.put(...itemsOf([], sampleUsers(7).slice(2)))
    const twice = ndjson(named(3, 'new'))
    const bytes = (text: string) => Buffer.from(text)
    const dump = [
      bytes(ndjson({ ...sampleUser(2), is_disabled: true })),
      bytes(ndjson(bad(4))),
      bytes(twice.repeat(3)),
      Buffer.concat([bytes(JSON.stringify(sampleUser(5)).slice(0, -1)), Buffer.from([0xff, 0x7d, 0x0a])]),
      bytes(ndjson(sampleUser(8))),
    ]
    write('dump.ndjson', Buffer.concat(dump))
    const { code, output } = await run('bash in-step.sh')
    expect([code, output]).toEqual([1, expect.stringContaining('Lines with a fault were left out')])
    expect(output).not.toContain('example.com')
    // User 6 has left. Users 4 and 5 stay as they are.
    expect(read('gone')).toBe(`${userId(1)}\n${userId(6)}\n`)
    const after = [
      sampleUser(1),
      { ...sampleUser(2), is_disabled: true },
      named(3, 'new'),
      ...[4, 5, 6, 8].map(n => sampleUser(n)),
    ]
    expect(await s.items()).toEqual(itemsOf([], after))
  })
})
