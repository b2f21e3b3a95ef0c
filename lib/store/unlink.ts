import type { SamlProvider } from '../domain/resources.ts'
import type { Item } from './items.ts'
import { userIdOf, userKey } from './keys.ts'
import type { BatchedUpdate, Table } from './table.ts'

/**
 * Unlinks at most 25 different users from a provider, each with a conditional update for the way the user is linked: by the
 * provider's id, by its `sso_provider_id`, or by both.
 *
 * Most users of a provider are linked in the same way, so the last successful way is tried first. A refused update returns
 * the user, which shows the next way. Links to a provider in removal are only removed, so three attempts are enough.
 */
export function unlinker(table: Table, provider: SamlProvider) {
  let likeliest = provider.sso_provider_id.valid ? ways.both : ways.saml

  return async (userIds: readonly string[], atMs: number, signal: AbortSignal): Promise<void> => {
    const updatedAt = new Date(atMs).toISOString()
    let left = userIds.map(userId => ({ userId, way: likeliest }))
    while (left.length > 0) {
      const updates = left.map(({ userId, way }) => updateOf(provider, userId, way, updatedAt))
      const refused = await table.batchUpdate(updates, signal)
      const unseen = refused.filter(({ item }) => item === undefined).map(({ key }) => key)
      const seen = [...refused.map(({ item }) => item), ...(await table.batchGet(unseen, signal))]
      left = seen.flatMap(item => {
        const way = item && wayOf(provider, item)
        return item && way ? [{ userId: userIdOf(item), way }] : []
      })
      likeliest = left[0]?.way ?? likeliest
    }
  }
}

/** The links by which a user is linked to the provider. */
interface Way {
  saml: boolean
  sso: boolean
}

const ways = {
  both: { saml: true, sso: true },
  saml: { saml: true, sso: false },
}

/** The way a user is linked. @returns undefined for a user who is not linked to the provider */
function wayOf({ id, sso_provider_id: sso }: SamlProvider, item: Item): Way | undefined {
  const way = { saml: item.saml_provider_id === id, sso: sso.valid && item.sso_provider_id === sso.int32 }
  return way.saml || way.sso ? way : undefined
}

function updateOf(
  { id, sso_provider_id: sso }: SamlProvider,
  userId: string,
  way: Way,
  updatedAt: string,
): BatchedUpdate {
  const links = [
    { name: 'saml_provider_id', value: id, isLinked: way.saml },
    ...(sso.valid ? [{ name: 'sso_provider_id', value: sso.int32, isLinked: way.sso }] : []),
  ]
  const linked = links.filter(({ isLinked }) => isLinked)
  return {
    key: userKey(userId),
    change: ['SET updated_at = ?', ...linked.map(({ name }) => `REMOVE ${name}`)].join(' '),
    changeValues: [updatedAt],
    condition: links
      .map(({ name, isLinked }) => (isLinked ? `${name} = ?` : `(${name} IS MISSING OR ${name} <> ?)`))
      .join(' AND '),
    conditionValues: links.map(({ value }) => value),
  }
}
