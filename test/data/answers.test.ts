import { execFileSync, spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { projectRoot } from '../../infra/project-root.ts'
import { zeroTime } from '../../lib/domain/iso-time.ts'
import type { User } from '../../lib/domain/resources.ts'
import { temporaryFolder } from '../support/machine.ts'
import { int32, sampleProvider, sampleUser } from '../support/samples.ts'
import { scenario } from './scenario.ts'

const page = readFileSync(join(projectRoot, 'infra/data/README.md'), 'utf8')
const recipe = /jq -c '\.data\.saml_providers[^`]+users\.json >> records\.ndjson/.exec(page)?.[0] ?? ''

/** A resource as BloodHound's API shows it: bare values and null in the place of wrappers, but for times. */
const answered = (resource: object) =>
  JSON.parse(JSON.stringify(resource), (name, value) => {
    if (name === 'deleted_at') return { Time: value.time, Valid: value.valid }
    if (typeof value?.valid !== 'boolean') return value
    return value.valid ? (value.int32 ?? value.string) : null
  })

const [{ sso_provider_id: sso, ...provider }, { environment_targeted_access_control: access, ...user }] = [
  answered(sampleProvider(7, 70)),
  answered(sampleUser(1, { saml: 7, sso: 70 })),
]
const { saml_provider_id: _saml, all_environments: _all, ...bySso } = user
const { sso_provider_id: _sso, ...bySaml } = { ...bySso, saml_provider_id: 7 }
const withSso = { ...provider, sso_provider_id: sso }
const withRoot = { ...withSso, root_uri_version: 2 }
const scoped = { ...bySso, all_environments: false }
const [everywhere, nowhere] = [{ all_environments: true, environment_targeted_access_control: [] }, int32()]

/** What each generation answers, and what the user is stored as. */
const generations: [name: string, provider: object, user: object, stored: Partial<User>][] = [
  [
    'saml_provider_id alone, and last_login null',
    provider,
    { ...bySaml, last_login: null },
    { ...everywhere, sso_provider_id: nowhere, last_login: zeroTime },
  ],
  ['both links', withSso, { ...bySaml, sso_provider_id: 70 }, everywhere],
  ['sso_provider_id alone', withRoot, bySso, { ...everywhere, saml_provider_id: nowhere }],
  [
    'environment_access_control',
    withRoot,
    { ...scoped, environment_access_control: [{ id: 1, user_id: user.id, environment: 'production' }] },
    { saml_provider_id: nowhere },
  ],
  [
    'environment_targeted_access_control',
    withRoot,
    { ...scoped, environment_targeted_access_control: access.map((one: object) => ({ ...one, id: 1 })) },
    { saml_provider_id: nowhere },
  ],
]

const isMissing = spawnSync('jq', ['--version']).error !== undefined
if (isMissing) process.stdout.write('The recipe for answers of BloodHound is skipped: jq is missing.\n')

test.skipIf(isMissing).each(generations)(
  'what BloodHound answers with %s is imported as the page says',
  async (_, provider, user, stored) => {
    const folder = temporaryFolder()
    writeFileSync(join(folder, 'providers.json'), JSON.stringify({ data: { saml_providers: [provider] } }))
    writeFileSync(join(folder, 'users.json'), JSON.stringify({ data: { users: [user] } }))
    execFileSync('sh', ['-ec', recipe], { cwd: folder })
    const records = join(folder, 'records.ndjson')
    // The import would name it as unknown.
    expect(readFileSync(records, 'utf8')).not.toContain('environment_access_control')
    const s = await scenario()
    expect(await s.import(records)).toEqual([])
    const ofSso = 'sso_provider_id' in provider ? 70 : undefined
    await s.has([sampleProvider(7, ofSso)], [{ ...sampleUser(1, { saml: 7, sso: 70 }), ...stored }])
  },
)
