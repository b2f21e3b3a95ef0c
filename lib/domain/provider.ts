import type { SamlProvider, User } from './resources.ts'

export type ProviderState = 'active' | 'removing' | 'removed'

/** A stored SAML provider: what the document shows of it, and what only the service knows. */
export interface ProviderRecord {
  resource: SamlProvider
  state: ProviderState
  /** Users linked to it; frozen from the first moment of its removal. */
  memberCount: number
  /** Of no account while it is active; undefined, too, where what is stored of it cannot be right. */
  removal: Removal | undefined
}

export interface Removal {
  id: string
  startedAtMs: number
  /** When the list may be forgotten, in seconds since the Unix epoch. */
  retainedUntil: number
}

/** A provider whose removal is under way, and known. */
export type RemovingProvider = ProviderRecord & { removal: Removal }

/** @returns undefined for a provider in another state, and where what is stored of the removal cannot be right */
export function asRemoving(record: ProviderRecord | undefined): RemovingProvider | undefined {
  if (record?.state !== 'removing' || record.removal === undefined) return undefined
  return { ...record, removal: record.removal }
}

/** A change of a provider's state, which is made from one state alone. */
export interface Transition {
  from: ProviderState
  to: ProviderState
}

/** The legal moves of a removal. */
export const transitions = {
  begin: { from: 'active', to: 'removing' },
  mend: { from: 'removing', to: 'removing' },
  finish: { from: 'removing', to: 'removed' },
} as const satisfies Record<string, Transition>

/** Only an active provider may be shown, or signed in through. */
export const isListed = ({ state }: ProviderRecord) => state === 'active'

/** A removed provider stays known, and its removal repeatable, until its retention ends; if that is unreadable, while it is stored. */
export const isKnown = ({ state, removal }: ProviderRecord, nowMs: number) =>
  state !== 'removed' || removal === undefined || nowMs < removal.retainedUntil * 1000

/** The two fields of a user that link it to providers. */
export type Links = Pick<User, 'saml_provider_id' | 'sso_provider_id'>

/**
 * Whether a user with these links signs in through the provider: by its own id, or by that of the SSO provider it is
 * the detail of. Two absent values never match.
 */
export function isLinked(links: Links, { id, sso_provider_id: sso }: SamlProvider): boolean {
  return names(links.saml_provider_id, id) || (sso.valid && names(links.sso_provider_id, sso.int32))
}

/** The links without those to the provider. */
export function linksWithout(links: Links, { id, sso_provider_id: sso }: SamlProvider): Links {
  const none = { int32: 0, valid: false }
  return {
    saml_provider_id: names(links.saml_provider_id, id) ? none : links.saml_provider_id,
    sso_provider_id: sso.valid && names(links.sso_provider_id, sso.int32) ? none : links.sso_provider_id,
  }
}

const names = ({ int32, valid }: Links['saml_provider_id'], id: number) => valid && int32 === id

/** The provider id that a path names, or undefined when it is not a canonical decimal int32 above zero. */
export function parseProviderId(text: string): number | undefined {
  return /^[1-9]\d{0,9}$/.test(text) && Number(text) <= 2_147_483_647 ? Number(text) : undefined
}
