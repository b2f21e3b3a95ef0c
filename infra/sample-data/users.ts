import type { SamlProvider, User } from '../../lib/domain/resources.ts'
import { entraId, keycloak, okta } from './providers.ts'
import { type RoleName, rolesOf } from './roles.ts'
import { absentTime, dayMs, filled, idOf, isoTime, startMs } from './values.ts'

/** How a user signs in: through which provider, and which of the two user fields say so. */
type Link = { provider: SamlProvider; by: 'saml' | 'sso' | 'both' } | null
type Trait = 'disabled' | 'deleted' | 'totp' | 'secret' | 'nameless' | 'newcomer' | 'everywhere'

const through = (provider: SamlProvider, by: 'saml' | 'sso' | 'both'): Link => ({ provider, by })

const people: [principal: string, RoleName, Link, ...Trait[]][] = [
  ['alex.admin', 'Administrator', null, 'totp', 'everywhere'],
  ['robin.admin', 'Administrator', through(entraId, 'both'), 'everywhere'],
  ['break.glass', 'Administrator', null, 'secret', 'nameless', 'everywhere'],
  ['nightly.export', 'Auditor', null, 'secret', 'nameless'],
  ['casey.contractor', 'User', null, 'secret', 'deleted'],

  ['ada.accounting', 'User', through(okta, 'saml')],
  ['ben.billing', 'User', through(okta, 'saml'), 'disabled'],
  ['cleo.compliance', 'Auditor', through(okta, 'saml'), 'everywhere'],
  ['dana.design', 'User', through(okta, 'sso')],
  ['eli.engineering', 'Power User', through(okta, 'sso'), 'everywhere'],
  ['fay.facilities', 'User', through(okta, 'sso'), 'deleted'],
  ['gus.growth', 'User', through(okta, 'both')],
  ['hana.hiring', 'User', through(okta, 'both'), 'newcomer'],
  ['ivo.infrastructure', 'Power User', through(okta, 'both'), 'totp', 'everywhere'],

  ['jade.journal', 'User', through(entraId, 'saml')],
  ['kai.kernel', 'Power User', through(entraId, 'saml'), 'totp'],
  ['lena.legal', 'Auditor', through(entraId, 'sso')],
  ['milo.marketing', 'User', through(entraId, 'sso'), 'disabled'],
  ['nora.network', 'Power User', through(entraId, 'both'), 'everywhere'],
  ['otto.operations', 'Power User', through(entraId, 'both'), 'deleted', 'disabled'],

  ['pia.product', 'User', through(keycloak, 'saml')],
  ['quin.quality', 'User', through(keycloak, 'saml'), 'nameless'],
  ['rita.research', 'Auditor', through(keycloak, 'saml')],
  ['sam.support', 'User', through(keycloak, 'saml'), 'disabled'],

  ['tess.trainee', 'User', null, 'newcomer'],
]

/** Stands for the person who types `npm run token`: may do everything, and signs in without a provider. */
export const administratorId = '5a3d1c9e-7b42-4f06-9d18-c0ffee000001'

/** May do the same, except removing Microsoft Entra ID, through which this one signs in. */
export const linkedAdministratorId = '5a3d1c9e-7b42-4f06-9d18-c0ffee000002'

const fixedIds = new Map([
  ['alex.admin', administratorId],
  ['robin.admin', linkedAdministratorId],
])

export const sampleUsers: User[] = people.map(([principal, role, link, ...traits], index) => {
  const has = (trait: Trait) => traits.includes(trait)
  const id = fixedIds.get(principal) ?? idOf(principal)
  const createdMs = startMs + index * 5 * dayMs
  const updatedMs = createdMs + 90 * dayMs
  const { provider, by } = link ?? {}
  const [first = '', last = ''] = principal.split('.').map(word => word[0]?.toUpperCase() + word.slice(1))
  return {
    id,
    created_at: isoTime(createdMs),
    updated_at: isoTime(updatedMs),
    deleted_at: has('deleted') ? { time: isoTime(updatedMs), valid: true } : absentTime.nullable,
    saml_provider_id:
      provider && by !== 'sso' ? { int32: provider.id, valid: true } : { int32: 0, valid: false },
    sso_provider_id: provider && by !== 'saml' ? provider.sso_provider_id : { int32: 0, valid: false },
    AuthSecret:
      has('secret') || has('totp')
        ? {
            id: 500 + index,
            created_at: isoTime(createdMs),
            updated_at: isoTime(updatedMs),
            deleted_at: absentTime.nullable,
            digest_method: 'argon2',
            expires_at: isoTime(updatedMs + 90 * dayMs),
            totp_activated: has('totp'),
          }
        : null,
    roles: rolesOf(role),
    first_name: filled(has('nameless') ? '' : first),
    last_name: filled(has('nameless') ? '' : last),
    email_address: filled(has('nameless') ? '' : `${principal}@example.com`),
    principal_name: principal,
    last_login: has('newcomer') ? absentTime.plain : isoTime(updatedMs + (index + 1) * 3_723_456),
    is_disabled: has('disabled'),
    eula_accepted: !has('newcomer'),
    all_environments: has('everywhere'),
    environment_targeted_access_control: has('everywhere')
      ? []
      : ['production', 'staging', 'sandbox']
          .slice(index % 3)
          .map(environment => ({ user_id: id, environment_id: environment })),
  }
})
