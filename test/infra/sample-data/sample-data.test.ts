import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { projectRoot } from '../../../infra/project-root.ts'
import {
  administratorId,
  disabledUserId,
  importSampleData,
  linkedAdministratorId,
  oktaId,
  sampleDataFile,
} from '../../../infra/sample-data/sample-data.ts'
import { isLinked } from '../../../lib/domain/provider.ts'
import type { User } from '../../../lib/domain/resources.ts'
import { providerRecordOf, userOf } from '../../../lib/store/items.ts'
import { itemsOf, scenario } from '../../data/scenario.ts'
import { Crash } from '../../removal/fates.ts'
import { type Plan, withPlan } from '../../support/test-client.ts'

test('the sample data has providers and users of each kind', async () => {
  const { client, tableName, items } = await scenario()
  expect(await importSampleData(client, tableName)).toEqual({ providers: 4, users: 25 })
  const stored = await items()
  const providers = stored.flatMap(item => providerRecordOf(item)?.resource ?? [])
  const users = stored.filter(({ SK }) => SK === 'USER').map(userOf)
  expect(stored).toEqual(itemsOf(providers, users))

  const linked = Map.groupBy(providers, provider => users.filter(user => isLinked(user, provider)).length)
  expect(linked.get(0)).toHaveLength(1)
  expect(linked.get(9)).toMatchObject([{ id: oktaId, display_name: 'Okta' }])
  expect(new Set(providers.map(({ sso_provider_id }) => sso_provider_id.valid)).size).toBe(2)
  const readme = readFileSync(join(projectRoot, 'README.md'), 'utf8')
  expect(/nine\s+users,\s+unlinked\.\s+One\s+has\s+`deleted_at`/.test(readme)).toBe(true)
  const ofOkta = users.filter(
    user => user.saml_provider_id.int32 === oktaId || user.sso_provider_id.int32 === 11,
  )
  expect(ofOkta.filter(user => user.deleted_at.valid)).toHaveLength(1)

  const kinds: Record<string, (user: User) => boolean> = {
    'linked by the SAML id': user => user.saml_provider_id.valid && !user.sso_provider_id.valid,
    'linked by the SSO id': user => !user.saml_provider_id.valid && user.sso_provider_id.valid,
    'linked by both': user => user.saml_provider_id.valid && user.sso_provider_id.valid,
    'linked by neither': user => !user.saml_provider_id.valid && !user.sso_provider_id.valid,
  }
  const missing = Object.keys(kinds).filter(kind => users.filter(kinds[kind] as () => boolean).length < 3)
  expect(missing).toEqual([])

  const callers = [administratorId, linkedAdministratorId, disabledUserId].map(id => {
    const { roles, is_disabled, saml_provider_id } = users.find(user => user.id === id) as User
    return [roles[0]?.name === 'Administrator', is_disabled, saml_provider_id.valid]
  })
  expect(callers).toEqual([
    [true, false, false],
    [true, false, true],
    [false, true, expect.any(Boolean)],
  ])
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
