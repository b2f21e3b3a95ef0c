import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { importSampleData, oktaId, sampleDataFile } from '../../../infra/sample-data/sample-data.ts'
import { scenario } from '../../data/scenario.ts'
import { Crash } from '../../removal/fates.ts'
import { type Plan, withPlan } from '../../support/test-client.ts'

test('the sample data keeps the rules and has users with each kind of link', async () => {
  const { client, tableName, items, find } = await scenario()
  expect(await importSampleData(client, tableName)).toEqual({ providers: 4, users: 25 })
  expect(await find()).toEqual([])
  const users = (await items()).filter(({ SK }) => SK === 'USER')
  const kinds = users.map(user => ['saml_provider_id' in user, 'sso_provider_id' in user].join())
  expect(new Set(kinds).size).toBe(4)
  const ofOkta = users.filter(user => user.saml_provider_id === oktaId || user.sso_provider_id === 11)
  expect(ofOkta.filter(user => 'deleted_at' in user)).toHaveLength(1) // as README.md says
})

test('an import of the sample data that stopped goes on and is not repeated', async () => {
  const { client, clock, tableName, items } = await scenario()
  const start = () => clock.moving(importSampleData(client, tableName, clock))
  const plan: Plan = async ({ operation, send }) => {
    if (operation === 'TransactWriteItems') throw new Crash()
    return send()
  }
  await expect(withPlan(plan, start)).rejects.toThrow(Crash)
  expect(await start()).toEqual({ providers: 4, users: 25 })
  const stored = await items()
  expect(await start()).toBe(undefined)
  expect(await items()).toEqual(stored)
})

test('the sample data names only hosts in domains that are reserved for examples', () => {
  const text = readFileSync(sampleDataFile, 'utf8')
  const hosts = [...text.matchAll(/https?:\/\/([^/"]+)|@([^"]+)/g)].map(([, url, mail]) => url ?? mail)
  expect(hosts.length).toBeGreaterThan(20)
  for (const host of hosts) expect(host).toMatch(/(\.example|^(.*\.)?example\.com|^schemas\.xmlsoap\.org)$/)
})
