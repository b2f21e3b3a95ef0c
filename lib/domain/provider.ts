import { lastTimeSeconds } from './iso-time.ts'
import type { SamlProvider, User } from './resources.ts'

export type ProviderState = 'active' | 'removing' | 'removed'

/** A stored SAML provider: the document's resource and the service's own attributes. */
export interface ProviderRecord {
  resource: SamlProvider
  state: ProviderState
  /** The number of linked users, frozen by the tombstone; undefined when it is malformed: it is unknown. */
  memberCount: number | undefined
  /** Not used while the provider is active. */
  removal: Removal
  /** How many members the finished removal listed; undefined when it is malformed. */
  listedTotal?: number | undefined
  /** When the removal was finished, in milliseconds since the Unix epoch; 0 when that is malformed or absent. */
  removedAtMs: number
}

/** What is malformed in the table is read as a default on which all attempts agree. */
export interface Removal {
  /** Undefined when it is malformed. */
  id: string | undefined
  /** 0 when it is malformed. */
  startedAtMs: number
  /** The end of the retention, in seconds since the Unix epoch; `keptForEver` when it is malformed. */
  retainedUntil: number
}

/** The end of a retention that never ends, in seconds since the Unix epoch. */
export const keptForEver = lastTimeSeconds

/** The longest retention that can be configured, in days. */
export const retentionDaysMax = 3650

/** How far the clock of another function may run ahead. */
export const clockAheadMaxMs = 5 * 60_000

/** How long ago a removal began. A start that is further ahead than any clock counts as malformed: as long ago. */
export const ageMs = ({ startedAtMs }: Removal, nowMs: number): number =>
  startedAtMs > nowMs + clockAheadMaxMs ? nowMs : nowMs - startedAtMs

/** From this time on TTL may have deleted memberships that the removal has marked. */
export const isPastRetention = ({ retainedUntil }: Removal, nowMs: number): boolean =>
  nowMs >= retainedUntil * 1000

/** Whether the provider is listed and may be used for sign-in. */
export const isListed = ({ state }: ProviderRecord) => state === 'active'

/** Whether the provider exists for clients: a removed one until its retention ends. */
export const isKnown = ({ state, removal }: ProviderRecord, nowMs: number) =>
  state !== 'removed' || !isPastRetention(removal, nowMs)

/** The two fields of a user that link it to providers. */
export type Links = Pick<User, 'saml_provider_id' | 'sso_provider_id'>

export type LinkName = keyof Links

/** The links by which a user can be linked to the provider: its id, and its `sso_provider_id` unless that is absent. */
export function linkValuesOf(provider: SamlProvider): [name: LinkName, value: number][] {
  const { id, sso_provider_id: sso } = provider
  const bySaml: [LinkName, number] = ['saml_provider_id', id]
  return sso.valid ? [bySaml, ['sso_provider_id', sso.int32]] : [bySaml]
}

/** The names of the links by which a user is linked to the provider. */
export const linksTo = (provider: SamlProvider, links: Links): LinkName[] =>
  linkValuesOf(provider)
    .filter(([name, value]) => links[name].valid && links[name].int32 === value)
    .map(([name]) => name)

export const isLinked = (links: Links, provider: SamlProvider): boolean => linksTo(provider, links).length > 0

/** The provider id in a path; undefined unless it is a canonical decimal int32 above zero. */
export function parseProviderId(text: string): number | undefined {
  return /^[1-9]\d{0,9}$/.test(text) && Number(text) <= 2_147_483_647 ? Number(text) : undefined
}
