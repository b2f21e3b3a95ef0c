import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { eraseUser } from '../../infra/data/erase.ts'
import { exportTable } from '../../infra/data/export.ts'
import { providerItem, userItem } from '../../infra/data/table/encoding.ts'
import { undoRemoval } from '../../infra/data/undo.ts'
import { projectRoot } from '../../infra/project-root.ts'
import type { Item } from '../../lib/store/items.ts'
import { temporaryFile } from '../support/machine.ts'
import { type Links, sampleProvider, sampleUser } from '../support/samples.ts'
import { type Plan, withPlan } from '../support/test-client.ts'
import { dataHere } from './running.ts'
import { itemsOf, ndjson, never, scenario, sharedScenario } from './scenario.ts'

const [provider, user] = [sampleProvider(7), sampleUser(1, { saml: 7 })]

test('the import command prints faults for programs and its end for people', async () => {
  const s = await sharedScenario()
  const [known, garbled] = [
    { ...user, shoe_size: 43, 'Ada Lovelace': 1 },
    { ...provider, name: 5 },
  ]
  const file = temporaryFile(ndjson(known, garbled, garbled))
  const run = (...more: string[]) => dataHere('import', '--table', s.tableName, ...more)
  const unknown = 'Unknown members, which are left out: shoe_size, ….\n'
  expect(await run(file)).toEqual({
    code: 1,
    stdout: `${file}:2, ${file}:3: /name must be string\n`,
    stderr: `${unknown}2 faults: nothing was written.\n`,
  })
  const [first, second] = [temporaryFile(ndjson(user)), temporaryFile(ndjson(provider))]
  const end = (verb: string) => ({ code: 0, stdout: '', stderr: `1 providers and 1 users ${verb}.\n` })
  expect(await run('--dry-run', first, second)).toEqual(end('would be written'))
  expect(await s.items()).toEqual([])
  expect(await run(first, second)).toEqual(end('written'))
  await s.has([provider], [user])
  expect(await run(first, second)).toMatchObject({ code: 1, stdout: '' })
})

test('the export has active providers and users without links to others', async () => {
  const s = await sharedScenario()
  const [removing, removed] = [sampleProvider(8, 80), sampleProvider(9, 90)]
  const usersWith = (links: Links[]) => links.map((link, n) => sampleUser(n, link))
  const users = usersWith([
    ...[{ saml: 8 }, { saml: 7, sso: 80 }, { saml: 9, sso: 70 }, { sso: 90 }, { saml: 9, sso: 99 }],
  ])
  const stored = (state: string) => [
    ...itemsOf([sampleProvider(7, 70)], []),
    { ...providerItem(removing, 0), state },
    { ...providerItem(removed, 0), state: 'removed' },
    ...itemsOf([], users),
    { PK: 'CLIENT#1', SK: 'USER', saml_provider_id: 5 },
  ]
  await s.put(...stored('removing'))
  const run = async () => {
    const { stdout, ...told } = await dataHere('export', '--table', s.tableName)
    return { ...told, lines: stdout.split('\n').toSorted() }
  }
  const left = usersWith([{}, { saml: 7 }, { sso: 70 }, {}, { sso: 99 }])
  const exported = ndjson(sampleProvider(7, 70), ...left)
  const lines = exported.split('\n').toSorted()
  const stderr = 'In removal: the providers 8. Export again when they are removed.\n'
  expect(await run()).toEqual({ code: 1, lines, stderr })
  await s.put(...stored('removed'))
  expect(await run()).toEqual({ code: 0, lines, stderr: '1 providers and 5 users exported.\n' })
})

test.each<[string, Item]>([
  ['a provider whose state is unknown', { ...providerItem(sampleProvider(9), 0), state: 'odd' }],
  [
    'a user whose key is in upper case',
    { ...user, PK: `USER#${user.id.replace('8000', 'ABCD')}`, SK: 'USER' },
  ],
  ['a user whose is_disabled cannot be read', { ...userItem(user), is_disabled: 'true' }],
  ['a user with a link to no provider', userItem(sampleUser(1, { saml: 9, sso: 99 }))],
])('an export counts %s', async (_, item) => {
  const s = await scenario()
  await s.put(...itemsOf([provider], []), item)
  const run = exportTable(s.data, async () => {}, never)
  await expect(run).rejects.toThrow('1 items are not, or not wholly, in the export: verify names them.')
})

test('an export says why the table is not settled', async () => {
  const s = await sharedScenario()
  const marker = { PK: 'SAML_PROVIDERS', SK: 'IMPORT', has_users: 'x' }
  await s.put(marker, ...itemsOf([provider], []))
  const run = () => exportTable(s.data, async () => {}, never)
  await expect(run()).rejects.toThrow('An import is unfinished')
  await s.drop(marker)
  await run()
  const write = () => s.put({ ...providerItem(provider, 0), state: 'removed' })
  await expect(exportTable(s.data, write, never)).rejects.toThrow('In removal: the providers 7.')
})

test('the verify command ends with 1 when it finds a fault', async () => {
  const s = await sharedScenario()
  await s.put(...itemsOf([provider], [user]))
  const verify = () => dataHere('verify', '--table', s.tableName)
  expect(await verify()).toEqual({ code: 0, stdout: '', stderr: 'No fault in 1 providers.\n' })
  const others = ['removing', 'removed', 'odd'].map((state, n) => ({
    ...providerItem(sampleProvider(8 + n), 0),
    state,
  }))
  await s.put(...others, { ...userItem(user), expires_at: 4e9 })
  const odd = 'SAML_PROVIDERS PROVIDER#0000000010: its state is unknown: it is not listed'
  const stdout = `${odd}\nUSER#${user.id} USER: expires_at is set: TTL deletes it\n`
  const stderr = '2 faults in 1 providers; 1 in removal were not checked.\n'
  expect(await verify()).toEqual({ code: 1, stdout, stderr })
})

test('a failure of a data command names the table and its DynamoDB', async () => {
  const { code, stderr } = await dataHere('verify', '--table', 'none')
  expect([code, stderr]).toEqual([1, expect.stringMatching(/^The table none at http:.+: .+\n$/)])
})

test('infra/data/policy.json has exactly the rights that the commands use', async () => {
  const s = await scenario()
  const needed = new Set<string>()
  const plan: Plan = ({ operation, body, send }) => {
    const kinds = ((body.TransactItems ?? []) as object[]).flatMap(Object.keys).map(kind => `${kind}Item`)
    for (const action of operation === 'TransactWriteItems' ? kinds : [operation])
      needed.add(`dynamodb:${action}`)
    return send()
  }
  await withPlan(plan, () => s.import(temporaryFile(ndjson(user, provider))))
  await s.remove(7)
  await withPlan(plan, async () => {
    await undoRemoval(s.data, 7, 107, () => {}, never)
    await s.find()
    await eraseUser(s.data, user.id, never)
  })
  const policy = JSON.parse(readFileSync(join(projectRoot, 'infra/data/policy.json'), 'utf8'))
  expect([...needed].sort()).toEqual(policy.Statement[0].Action.toSorted())
})
