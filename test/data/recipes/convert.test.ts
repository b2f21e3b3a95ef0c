import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { temporaryFile } from '../../support/temporary-folder.ts'
import { dataHere, runData } from '../command-process.ts'

const fixture = (name: string) => readFileSync(join(import.meta.dirname, 'files', name), 'utf8')
const realm = JSON.parse(fixture('keycloak-realm.json'))
const { users, identityProviders, ...rest } = realm
const [ada, ben, cleo] = users
const [adfs, ...others] = identityProviders
const connections = JSON.parse(fixture('auth0-connections.json'))
const profiles = fixture('auth0-users.ndjson')
const url = ['--url', 'https://sso.example']

/** Converts files of these texts, or of JSON. The files in the output are called FILE. */
async function convert(system: string, options: string[], ...contents: unknown[]) {
  const files = contents.map(one =>
    temporaryFile(typeof one === 'string' || Buffer.isBuffer(one) ? one : JSON.stringify(one)),
  )
  const { code, stdout, stderr } = await dataHere('convert', system, ...url, ...options, ...files)
  return { code, stdout, stderr: files.reduce((text, name) => text.replaceAll(name, 'FILE'), stderr) }
}

const neither = 'FILE:1: this is neither a realm of Keycloak nor the users of one.'
const unknown = (alias: string) =>
  `There is no SAML provider ${alias}: the files have acme-adfs, acme-okta, old-idp.`

test.each<[string, string, string[], unknown[], string]>([
  ['a URL that is none', 'keycloak', ['--url', 'sso.example'], [realm], 'Give a URL such as'],
  ['the URL of a realm', 'keycloak', ['--url', 'https://x/realms/acme'], [realm], 'without /realms/'],
  ['lines that are no JSON', 'keycloak', [], ['me\n'], 'FILE:1: the text is not JSON: expected a value.'],
  ['a file that is cut off', 'keycloak', [], ['{\n"realm":'], 'FILE:2: the text is not JSON'],
  ['Latin-1', 'keycloak', [], [Buffer.from('["Zürich"]', 'latin1')], 'FILE:1: the text is not UTF-8.'],
  ['UTF-16', 'keycloak', [], [Buffer.from('{}', 'utf16le')], 'FILE is not UTF-8. If it is UTF-16: '],
  ['a compressed file', 'auth0', [], [gzipSync(profiles)], 'FILE is compressed. Unpack it: '],
  ['an empty file', 'keycloak', [], [realm, ''], 'There is no record in FILE.'],
  ['a number', 'keycloak', [], [[5]], neither],
  ['a file of another system', 'keycloak', [], [fixture('bloodhound-users.json')], neither],
  ['users without providers', 'keycloak', [], [{ ...rest, users }], 'No file has a SAML provider: name the'],
  [
    'providers without users',
    'keycloak',
    [],
    [{ ...rest, identityProviders }],
    'No file has a user: name the',
  ],
  [
    'a file twice',
    'keycloak',
    [],
    [realm, realm],
    'The provider acme-adfs occurs twice: name each file once.',
  ],
  [
    'two realms',
    'keycloak',
    [],
    [[realm, { ...realm, realm: 'b' }]],
    'The files have the realms acme and b: ',
  ],
  ['a typing error in --prefer', 'keycloak', ['--prefer', 'acme-okta,adsf'], [realm], unknown('adsf')],
  ['a typing error in --leave-out', 'keycloak', ['--leave-out', 'Old-idp'], [realm], unknown('Old-idp')],
  [
    'an answer that is an error',
    'auth0',
    [],
    [{ statusCode: 401, message: 'Expired token' }, profiles],
    'FILE:1: this is neither a connection nor a user of Auth0.',
  ],
  [
    'users without identities',
    'auth0',
    [],
    [connections, { user_id: 'a' }],
    'FILE:1: a user without identities',
  ],
  ['users without connections', 'auth0', [], [profiles], 'No file has a SAML provider'],
  ['no connection', 'auth0', [], [[], profiles], 'There is no record in FILE.'],
])('convert refuses %s', async (_, system, options, contents, sentence) => {
  const { code, stdout, stderr } = await convert(system, options, ...contents)
  expect([code, stdout]).toEqual([1, ''])
  expect(stderr).toContain(sentence)
})

test('convert refuses a folder, and reads standard input', async () => {
  const { stderr } = await dataHere('convert', 'keycloak', ...url, import.meta.dirname)
  expect(stderr).toContain(`${import.meta.dirname} cannot be used: it is a folder`)
  const { outcome } = runData(['convert', 'keycloak', ...url, '--leave-out', 'acme-okta', '-'], {
    input: JSON.stringify(realm),
  })
  expect(await outcome).toMatchObject({ code: 0, stderr: expect.stringContaining('providers: 1, users: 3') })
})

const inDoubt = 'which is disabled or in no file. Unlink the user with --leave-out.'
const known = (...identities: string[]) => ({
  ...ada,
  federatedIdentities: identities.map(identityProvider => ({ identityProvider })),
})

test.each<[string, object, string, string]>([
  [
    'several SAML identities',
    { users: [cleo, ben] },
    'acme-adfs,acme-okta',
    'The user cleo has the SAML providers acme-adfs, acme-okta, and can have one. Choose with --prefer.',
  ],
  [
    'a provider that is disabled',
    { users: [ada, ben], identityProviders: [{ ...adfs, enabled: false }, ...others] },
    'acme-adfs',
    `The user ada has the SAML provider acme-adfs, ${inDoubt}`,
  ],
  [
    'a provider in no file',
    { users: [known('x'), ben] },
    'x',
    `The user ada has the SAML provider x, ${inDoubt}`,
  ],
])('convert writes nothing while a user has %s', async (_, changes, aliases, sentence) => {
  const { code, stdout, stderr } = await convert('keycloak', [], { ...realm, ...changes })
  expect([code, stdout]).toEqual([1, ''])
  expect(stderr).toMatch(`${sentence}\nNothing was written. Users who need a decision: 1.\n`)
  const decided = await convert('keycloak', ['--leave-out', aliases], { ...realm, ...changes })
  const links = decided.stdout.match(/"saml_provider_id":[^}]*/g)
  expect([decided.code, links]).toEqual([0, ['"saml_provider_id":null', '"saml_provider_id":null']])
})

test("Auth0's connections may come with totals, and without those that are not SAML", async () => {
  const paged = { start: 0, limit: 100, length: 2, total: 2, connections: connections.slice(0, 2) }
  const { code, stdout } = await convert('auth0', ['--prefer', 'acme'], paged, profiles)
  expect(code).toBe(0)
  expect(stdout).toBe((await convert('auth0', ['--prefer', 'acme'], connections, profiles)).stdout)
})

test('a user of whom Keycloak does not say enabled is disabled, and aliases are escaped in addresses', async () => {
  const { stdout } = await convert('keycloak', [], {
    ...rest,
    users: [{ ...known('ä b'), enabled: undefined }],
    identityProviders: [{ ...adfs, alias: 'ä b' }],
  })
  expect(stdout).toContain('"sp_acs_uri":"https://sso.example/realms/acme/broker/%C3%A4%20b/endpoint"')
  expect(stdout).toContain('"is_disabled":true')
})

test("an ampersand in the entity id of Auth0's metadata is read as XML has it", async () => {
  const metadataXml = "<EntityDescriptor entityID='https://idp.example/?a=1&amp;b=2'/>"
  const [acme, ...others] = connections
  const { stdout } = await convert(
    'auth0',
    ['--prefer', 'acme'],
    [{ ...acme, options: { metadataXml } }, ...others],
    profiles,
  )
  expect(stdout).toContain('"idp_issuer_uri":"https://idp.example/?a=1&b=2"')
})
