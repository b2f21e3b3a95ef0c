import { isDeepStrictEqual } from 'node:util'
import { isLinked, isListed, type Links, linksTo, type ProviderRecord } from '../../../lib/domain/provider.ts'
import { type SamlProvider, userShape } from '../../../lib/domain/resources.ts'
import { type Item, linksOf } from '../../../lib/store/items.ts'
import type { View } from '../table/linked-providers.ts'
import { type Decision, linkNames } from '../membership/change-users.ts'
import type { Data } from '../open-data.ts'
import { difference } from './difference.ts'
import { type Moves, type Outcome, refused } from './report.ts'
import type { CheckedRecord } from './spool.ts'

/** The context of the writes of an import. */
export interface Terms {
  data: Data
  /** The providers that the import creates, as they will be read. */
  fresh: readonly ProviderRecord[]
  /** The ids of the users who have a membership of these providers, by the provider's id. */
  members: ReadonlyMap<number, ReadonlySet<string>>
  /** Why no user's link to a provider may change, by its id: its record is not in the table, or its state there is unknown. */
  barred: ReadonlyMap<number, string>
  /** These providers, as the record has them and as they are stored, and the links that may not change. */
  held: readonly { provider: SamlProvider; by: readonly (keyof Links)[] }[]
  /** The place of a line that cannot be read and may be the record of any provider. */
  doubtfulPlace: string | undefined
  /** Only read. */
  isTrial: boolean
  /** Change users and providers in the table that differ from their records. */
  update: boolean
  signal: AbortSignal
}

/**
 * Decides about a user: adds one who is not there, and gives a stored one the values of the record. What the record does not
 * mention, and what others keep in the item, stays.
 *
 * @param stored the user; undefined when there is none
 * @param wasThere false when the user was stored meanwhile, perhaps by this import, in a call whose reply was lost
 */
export function decideUser(
  terms: Terms,
  { item: given, leftOut: unmentioned }: CheckedRecord,
  stored: Item | undefined,
  view: View,
  wasThere: boolean,
): Decision<Outcome> {
  const { data, update } = terms
  const { links: kept, leftOut, fault } = usableLinks(linksOf(given), view, terms)
  if (fault !== undefined) return { outcome: refused(fault) }
  const item = leftOut.length === 0 ? given : withLinks(given, kept)
  const unmoved = { moves: { join: [], leave: [], leftOut } }

  const isSame = stored !== undefined && isDeepStrictEqual(stored, item) // most of those that are there
  const values = stored === undefined ? item : isSame ? {} : difference(userShape, stored, item, unmentioned)
  const fields = Object.keys(values)
  if (fields.length === 0) return { outcome: { is: wasThere || !isSame ? 'there' : 'written', ...unmoved } }

  const before = linksOf(stored ?? {})
  const links = linksOf({ ...stored, ...values })
  const heldBack = faultOfChange(before, links, view, terms)
  if (heldBack !== undefined) return { outcome: refused(heldBack) }
  const moved = { moves: { ...movesOf(before, links, view), leftOut } }
  if (stored === undefined) return { outcome: { is: 'written', ...moved }, to: { links, values } }
  if (!update) return { outcome: { is: 'differs', fields, ...unmoved } }
  // A change of a link sets the time: the record's, if it has one.
  const isTimed = unmentioned.includes('updated_at') && linkNames.some(name => name in values)
  const time = isTimed ? { updated_at: new Date(data.clock.nowMs()).toISOString() } : {}
  return { outcome: { is: 'updated', fields, ...moved }, to: { links, values: { ...values, ...time } } }
}

/** The item without the links that are left out. */
function withLinks(item: Item, links: Links): Item {
  const kept = { ...item }
  for (const name of linkNames) if (!links[name].valid) delete kept[name]
  return kept
}

/** The active providers that a user joins and leaves. */
function movesOf(before: Links, after: Links, { providers }: View): Pick<Moves, 'join' | 'leave'> {
  const active = providers.filter(isListed).map(({ resource }) => resource)
  const gained = (from: Links, to: Links) =>
    active.filter(one => isLinked(to, one) && !isLinked(from, one)).map(({ id }) => id)
  return { join: gained(before, after), leave: gained(after, before) }
}

const noLink = { int32: 0, valid: false }

/** The links of a record that can be used, the ids of the providers of the others, and why a user with them is refused. */
interface Usable {
  links: Links
  leftOut: number[]
  fault?: string
}

/**
 * Finds which links of a record can be used. A link to a provider that was removed here, or that is in neither the table nor
 * the input, is left out, so that an import goes on after a removal. A link to an active provider stays. While a line may be
 * the provider's record, the user waits for it.
 */
function usableLinks(links: Links, { linkedTo }: View, { barred, doubtfulPlace }: Terms): Usable {
  const usable: Usable = { links: { ...links }, leftOut: [] }
  const { saml_provider_id: saml } = links
  const [own] = saml.valid ? linkedTo({ ...links, sso_provider_id: noLink }) : []
  if (saml.valid && (own === undefined || !isListed(own))) {
    const fault = own === undefined ? barred.get(saml.int32) : undefined
    if (fault !== undefined) return { ...usable, fault }
    if (own === undefined && doubtfulPlace !== undefined)
      return { ...usable, fault: `${maybeRecord(doubtfulPlace)} of the provider ${saml.int32}` }
    usable.leftOut.push(saml.int32)
    usable.links.saml_provider_id = noLink
  }
  const shared = linkedTo({ ...links, saml_provider_id: noLink })
  const gone = shared.filter(provider => !isListed(provider))
  if (gone.length === 0) return usable
  if (gone.length < shared.length) {
    const removing = gone.find(({ state }) => state === 'removing')
    // Of a removed one, no user is linked any more: the link is to the active one.
    if (removing === undefined) return usable
    return {
      ...usable,
      fault: `the provider ${removing.resource.id}, which is being removed, and another one have its sso_provider_id`,
    }
  }
  const goneIds = gone.map(({ resource }) => resource.id)
  usable.leftOut.push(...goneIds.filter(id => !usable.leftOut.includes(id)))
  usable.links.sso_provider_id = noLink
  return usable
}

/**
 * Why the links of a user do not change; undefined if they may. Where it is not known whose record cannot be read, a user may
 * still join a provider.
 */
function faultOfChange(
  before: Links,
  after: Links,
  { providers }: View,
  { barred, held, doubtfulPlace }: Terms,
): string | undefined {
  const changed = held.find(({ provider, by }) => {
    const [had, has] = [linksTo(provider, before), linksTo(provider, after)]
    return by.some(name => had.includes(name) !== has.includes(name))
  })
  if (changed !== undefined)
    return `${barred.get(changed.provider.id)}, and the link of the user to it would change`
  if (doubtfulPlace === undefined) return undefined
  const loses = (one: SamlProvider) => linksTo(one, before).some(name => !linksTo(one, after).includes(name))
  const left = providers.filter(isListed).find(({ resource }) => loses(resource))
  return (
    left &&
    `${maybeRecord(doubtfulPlace)} of the provider ${left.resource.id}, whose link the user would lose`
  )
}

const maybeRecord = (place: string) => `${place} cannot be read, and may be the record`
