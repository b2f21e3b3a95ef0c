import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
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
import type { SamlProvider, User } from '../../../lib/domain/resources.ts'
import { providerRecordOf, userOf } from '../../../lib/store/items.ts'
import { itemsOf, scenario } from '../../data/scenario.ts'

let providers: SamlProvider[] = []
let users: User[] = []
beforeAll(async () => {
  const cleanUps: (() => unknown)[] = []
  const s = await scenario(cleanUp => cleanUps.push(cleanUp))
  const remedy = 'in infra/sample-data/sample-data.ndjson each field that is not nullable needs a value'
  expect(await importSampleData(s.client, s.tableName), remedy).toEqual({ providers: 4, users: 25 })
  const items = await s.items()
  providers = items.flatMap(item => providerRecordOf(item)?.resource ?? [])
  users = items.filter(({ SK }) => SK === 'USER').map(userOf)
  expect(items).toEqual(itemsOf(providers, users))
  for (const cleanUp of cleanUps) await cleanUp()
})

const linkedTo = (providerId: number) =>
  users.filter(user => isLinked(user, providers.find(({ id }) => id === providerId) as SamlProvider))
const userOfId = (id: string) => users.find(user => user.id === id) as User

describe('the sample data', () => {
  test('has providers with and without an SSO provider, and one without users', () => {
    expect(new Set(providers.map(({ sso_provider_id }) => sso_provider_id.valid)).size).toBe(2)
    expect(providers.filter(({ id }) => linkedTo(id).length === 0)).toHaveLength(1)
    expect(providers.find(({ id }) => id === oktaId)?.display_name).toBe('Okta')
  })

  test.each<[string, (user: User) => boolean]>([
    ['linked by the SAML id', user => user.saml_provider_id.valid && !user.sso_provider_id.valid],
    ['linked by the SSO id', user => !user.saml_provider_id.valid && user.sso_provider_id.valid],
    ['linked by both', user => user.saml_provider_id.valid && user.sso_provider_id.valid],
    ['linked by neither', user => !user.saml_provider_id.valid && !user.sso_provider_id.valid],
    ['disabled', user => user.is_disabled],
    ['deleted', user => user.deleted_at.valid],
    ['without a secret', user => user.AuthSecret === null],
    ['without names', user => !user.first_name.valid],
    ['with environments', user => user.environment_targeted_access_control.length > 0],
    [
      'with ids beyond int32',
      ({ AuthSecret, roles }) =>
        [AuthSecret, roles.at(-1), roles.at(-1)?.permissions[0]].every(one => Number(one?.id) >= 2 ** 31),
    ],
  ])('has users %s', (_, predicate) => {
    expect(users.filter(predicate).length).toBeGreaterThan(2)
  })

  test.each([
    [administratorId, 0],
    [linkedAdministratorId, 1],
  ])('has the administrator %s, linked to %i providers', (userId, count) => {
    const { roles, is_disabled, deleted_at } = userOfId(userId)
    expect([roles[0]?.name, is_disabled, deleted_at.valid]).toEqual(['Administrator', false, false])
    const linked = providers.filter(({ id }) => linkedTo(id).some(user => user.id === userId))
    expect(linked).toHaveLength(count)
  })

  test('has the disabled user', () => expect(userOfId(disabledUserId).is_disabled).toBe(true))

  test("has Okta's users of the README: nine, of whom one has deleted_at", () => {
    const readme = readFileSync(join(projectRoot, 'README.md'), 'utf8')
    expect(/nine\s+users,\s+unlinked\.\s+One\s+has\s+`deleted_at`/.test(readme)).toBe(true)
    const linked = linkedTo(oktaId)
    expect([linked.length, linked.filter(user => user.deleted_at.valid).length]).toEqual([9, 1])
  })

  test('names only hosts in domains that are reserved for examples', () => {
    const text = readFileSync(sampleDataFile, 'utf8')
    const hosts = [...text.matchAll(/https?:\/\/([^/"]+)|@([^"]+)/g)].map(([, url, mail]) => url ?? mail)
    for (const host of hosts) expect(host).toMatch(/(\.example|^(.*\.)?example\.com|^schemas\.xmlsoap\.org)$/)
  })
})
