import type { SamlProvider, User } from './resources.ts'

export type ProviderState = 'active' | 'removing' | 'removed'

/** A stored SAML provider: the document's resource and the service's own attributes. */
export interface ProviderRecord {
  resource: SamlProvider
  state: ProviderState
  /** The number of linked users, frozen by the tombstone; undefined when it is malformed: it is unknown. */
  memberCount: number | undefined
  /** Not used while the provider is active; undefined when a stored attribute is malformed. */
  removal: Removal | undefined
  /** How many members the finished removal listed; undefined when it is malformed. */
  affectedTotal?: number | undefined
}

export interface Removal {
  id: string
  startedAtMs: number
  /** The end of the retention, in seconds since the Unix epoch. */
  retainedUntil: number
}

/** The longest retention that can be configured, in days. */
export const retentionDaysMax = 3650

/** A provider in state `removing` with valid attributes. */
export type RemovingProvider = ProviderRecord & { removal: Removal }

/** How far the clock of the function that began a removal may have run ahead. */
const clockAheadMaxMs = 5 * 60_000

/** Whether a removal can have begun at this time. A time that is far ahead would keep the scheduled run from finishing it. */
export const canHaveBegun = (startedAtMs: number, nowMs: number): boolean =>
  startedAtMs <= nowMs + clockAheadMaxMs

/** Narrows a record to a running removal. @returns undefined in another state, or when an attribute is malformed */
export function asRemoving(record: ProviderRecord | undefined, nowMs: number): RemovingProvider | undefined {
  if (record?.state !== 'removing' || record.removal === undefined) return undefined
  return canHaveBegun(record.removal.startedAtMs, nowMs) ? { ...record, removal: record.removal } : undefined
}

/** From this time on TTL may have deleted memberships that the removal has marked. */
export const isPastRetention = ({ retainedUntil }: Removal, nowMs: number): boolean =>
  nowMs >= retainedUntil * 1000

export interface Transition {
  from: ProviderState
  to: ProviderState
}

export const transitions = {
  begin: { from: 'active', to: 'removing' },
  proceed: { from: 'removing', to: 'removing' },
  finish: { from: 'removing', to: 'removed' },
} as const satisfies Record<string, Transition>

/** Whether the provider is listed and may be used for sign-in. */
export const isListed = ({ state }: ProviderRecord) => state === 'active'

/** Whether the provider exists for clients: a removed one until its retention ends or, when that is malformed, while it is stored. */
export const isKnown = ({ state, removal }: ProviderRecord, nowMs: number) =>
  state !== 'removed' || removal === undefined || !isPastRetention(removal, nowMs)

/** The two fields of a user that link it to providers. */
export type Links = Pick<User, 'saml_provider_id' | 'sso_provider_id'>

/** The links by which a user can be linked to the provider: its id, and its `sso_provider_id` unless that is absent. */
export function linkValuesOf(provider: SamlProvider): [name: keyof Links, value: number][] {
  const { id, sso_provider_id: sso } = provider
  const bySaml: [keyof Links, number] = ['saml_provider_id', id]
  return sso.valid ? [bySaml, ['sso_provider_id', sso.int32]] : [bySaml]
}

/** The names of the links by which a user is linked to the provider. */
export const linksTo = (provider: SamlProvider, links: Links): (keyof Links)[] =>
  linkValuesOf(provider).flatMap(([name, value]) =>
    links[name].valid && links[name].int32 === value ? name : [],
  )

export const isLinked = (links: Links, provider: SamlProvider): boolean => linksTo(provider, links).length > 0

/** The provider id in a path; undefined unless it is a canonical decimal int32 above zero. */
export function parseProviderId(text: string): number | undefined {
  return /^[1-9]\d{0,9}$/.test(text) && Number(text) <= 2_147_483_647 ? Number(text) : undefined
}
