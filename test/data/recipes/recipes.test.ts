import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { userIdOf } from '../../../infra/data/recipes/source.ts'
import { decode } from '../../../lib/domain/fields.ts'
import { samlProviderShape, userShape } from '../../../lib/domain/resources.ts'
import { dataHere } from '../command-process.ts'
import { itemsOf, scenario } from '../scenario.ts'

const file = (name: string) => join(import.meta.dirname, 'files', name)
const provider = (fields: Record<string, unknown>) =>
  decode(samlProviderShape, { sso_provider_id: undefined, ...fields })
const user = (fields: Record<string, unknown>) => decode(userShape, fields)

/** Imports records, and expects exactly these resources in a table without a fault. */
async function expectTable(texts: string[], ...[providers, users]: Parameters<typeof itemsOf>) {
  const s = await scenario()
  for (const text of texts) expect((await s.import(text)).faults).toEqual([])
  expect(await s.items()).toEqual(itemsOf(providers, users))
  expect((await s.find()).faults).toEqual([])
}

const realm = 'https://sso.acme.example/realms/acme'
const broker = (id: number, name: string, fields: Record<string, unknown>) =>
  provider({
    ...{ id, name, display_name: name, sp_issuer_uri: realm, ...fields },
    sp_sso_uri: `${realm}/broker/${name}/login`,
    sp_metadata_uri: `${realm}/broker/${name}/endpoint/descriptor`,
    sp_acs_uri: `${realm}/broker/${name}/endpoint`,
  })
const adfs = broker(1_813_372_808, 'acme-adfs', {
  display_name: 'Acme AD FS',
  idp_issuer_uri: 'http://adfs.acme.example/adfs/services/trust',
  idp_sso_uri: 'https://adfs.acme.example/adfs/ls/',
  principal_attribute_mappings: ['http://schemas.xmlsoap.org/ws/2005/05/identity/claims/upn'],
})
const okta = broker(473_927_370, 'acme-okta', {
  idp_issuer_uri: 'http://www.okta.example/exk1',
  idp_sso_uri: 'https://acme.okta.example/app/acme/exk1/sso/saml',
})
const ada = user({
  id: '884fd78f-fdbc-40cb-a406-3166a49cdf03',
  created_at: '2024-03-05T08:30:15.250Z',
  saml_provider_id: adfs.id,
  first_name: 'Ada',
  email_address: 'ada@acme.example',
  principal_name: 'ada',
  eula_accepted: true,
})
const ben = user({
  id: '31fb8cc6-dac2-4c13-a1b8-0839f1d03ae9',
  created_at: '2024-04-05T08:30:15.000Z',
  principal_name: 'ben',
  is_disabled: true,
})
const cleo = user({
  id: '7e3b4a53-7a0e-4d8f-9c57-0a1b2c3d4e5f',
  created_at: '2024-04-05T08:30:16.000Z',
  saml_provider_id: okta.id,
  email_address: 'cleo@acme.example',
  principal_name: 'cleo',
  eula_accepted: true,
})

describe("a realm's export of Keycloak", () => {
  const args = ['convert', 'keycloak', '--url', 'https://sso.acme.example/', file('keycloak-realm.json')]
  const leftOut = `The identity provider google is left out: it is not SAML.
The service account service-account-billing is left out.
The provider old-idp is left out: it is disabled.
`

  test('becomes records', async () => {
    const { code, stdout, stderr } = await dataHere(...args, '--prefer', 'old-idp,acme-okta,acme-adfs')
    expect([code, stderr]).toEqual([0, `${leftOut}providers: 2, users: 3\n`])
    await expectTable([stdout], [adfs, okta], [ada, ben, cleo])
  })
})

test('connections and users of Auth0 become records', async () => {
  const files = [file('auth0-connections.json'), file('auth0-users.ndjson')]
  const { code, stdout, stderr } = await dataHere(
    ...['convert', 'auth0', '--url', 'https://acme.eu.auth0.com', '--prefer', 'globex', ...files],
  )
  expect([code, stderr]).toEqual([
    0,
    'The connection Username-Password-Authentication is left out: its strategy is auth0.\nproviders: 2, users: 3\n',
  ])
  const uris = (name: string) => ({
    sp_sso_uri: `https://acme.eu.auth0.com/authorize?connection=${name}`,
    sp_metadata_uri: `https://acme.eu.auth0.com/samlp/metadata?connection=${name}`,
    sp_acs_uri: `https://acme.eu.auth0.com/login/callback?connection=${name}`,
  })
  const acme = provider({
    ...{ id: 1_091_934_678, name: 'acme', display_name: 'Acme', ...uris('acme') },
    idp_issuer_uri: 'https://idp.acme.example/metadata',
    idp_sso_uri: 'https://idp.acme.example/saml2/sso',
    principal_attribute_mappings: [
      'http://schemas.xmlsoap.org/ws/2005/05/identity/claims/emailaddress',
      'email',
    ],
    sp_issuer_uri: 'urn:auth0:acme:acme',
  })
  const globex = provider({
    ...{ id: 769_708_102, name: 'globex', display_name: 'globex', ...uris('globex') },
    idp_sso_uri: 'https://login.globex.example/sso',
    sp_issuer_uri: 'https://app.globex.example/sp',
  })
  const grace = user({
    id: '9b964cc8-1df9-56e2-ac19-a820f0702727',
    created_at: '2024-03-05T08:30:15.250Z',
    updated_at: '2026-06-27T08:30:15.250Z',
    last_login: '2026-06-27T08:30:15.249Z',
    saml_provider_id: acme.id,
    first_name: 'Grace',
    last_name: 'Harbour',
    email_address: 'grace@acme.example',
    principal_name: 'grace@acme.example',
  })
  const ben = user({
    id: '242c39f9-7d06-5525-bb66-1923c727135f',
    created_at: '2024-04-05T08:30:15.000Z',
    updated_at: '2024-04-05T08:30:15.000Z',
    email_address: 'ben@example.com',
    principal_name: 'ben',
    is_disabled: true,
  })
  const cleo = user({
    id: userIdOf('samlp|globex|cleo', 'https://acme.eu.auth0.com'),
    created_at: '2024-04-06T08:30:15.000Z',
    updated_at: '2025-04-05T08:30:15.000Z',
    saml_provider_id: globex.id,
    email_address: 'cleo@globex.example',
    principal_name: 'cleo@globex.example',
  })
  await expectTable([stdout], [acme, globex], [grace, ben, cleo])
})

// As PostgreSQL writes them with the queries of the recipe; the answers are as BloodHound CE's types write them.
test.each([
  ['postgresql', ['postgresql-providers.ndjson', 'postgresql-users.ndjson'], 7, 5],
  ['bloodhound', ['bloodhound-saml-providers.json', 'bloodhound-users.json'], 1, 4],
])('files of %s are imported as they are', async (_, names, providerId, items) => {
  const s = await scenario()
  for (const name of names) expect((await s.import(readFileSync(file(name)))).faults).toEqual([])
  const stored = await s.items()
  expect(stored).toContainEqual({
    PK: `SAML_PROVIDER#${providerId}`,
    SK: 'USER#884fd78f-fdbc-40cb-a406-3166a49cdf03',
  })
  expect(stored).toHaveLength(items)
  expect((await s.find()).faults).toEqual([])
})

test.each([
  ['a UUID in lower case', '884FD78F-FDBC-40CB-A406-3166A49CDF03', '884fd78f-fdbc-40cb-a406-3166a49cdf03'],
  // Python's uuid.uuid5(uuid.NAMESPACE_URL, 'https://acme.example/auth0|1')
  ['the UUIDv5 of its URL', 'auth0|1', '9cb5787f-cbb9-58f7-8e9a-34a08150deb9'],
])('the id of a user is %s', (_, id, expected) => {
  expect(userIdOf(id, 'https://acme.example')).toBe(expected)
})
