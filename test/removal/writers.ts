import { isLinked } from '../../lib/domain/provider.ts'
import type { User } from '../../lib/domain/resources.ts'
import { edgeItem, userItem } from '../../lib/store/items.ts'
import { edgeKey, providerKey, userKey } from '../../lib/store/keys.ts'
import { sampleUser } from '../support/samples.ts'
import type { Scene } from './scene.ts'

/**
 * Other writers, by the rules of the README's "Writing to the table". The embedded engine knows no transactions: each
 * writer is to be run while nothing else is, which is what a transaction amounts to.
 */
export function writers(scene: Scene) {
  const { provider, read, put, erase } = scene

  /** The provider's part of a transaction: its count, and an edge made or deleted; nothing when it is not active. */
  const adjust = async (userId: string, by: 1 | -1): Promise<boolean> => {
    const found = await read(providerKey(provider.id))
    if (found?.state !== 'active') return false
    await put([{ ...found, member_count: Number(found.member_count) + by }])
    if (by === 1) await put([edgeItem(provider.id, userId)])
    else await erase(edgeKey(provider.id, userId))
    return true
  }

  return {
    /** A user who has no link yet signs in through the provider for the first time. */
    async link(user: User) {
      const linked = { ...user, saml_provider_id: { int32: provider.id, valid: true } }
      if (await adjust(user.id, 1)) await put([userItem(linked)])
    },

    /** A user goes over to another provider. */
    async move(user: User): Promise<User | undefined> {
      const found = (await scene.state()).users.find(({ id }) => id === user.id)
      if (found === undefined || !isLinked(found, provider)) return undefined
      await adjust(user.id, -1)
      const moved = { ...sampleUser(0, { saml: provider.id + 500, sso: provider.id + 501 }), id: user.id }
      await put([userItem(moved)])
      return moved
    },

    /** A user is deleted for good. */
    async forget(user: User) {
      const found = (await scene.state()).users.find(({ id }) => id === user.id)
      if (found !== undefined && isLinked(found, provider)) await adjust(user.id, -1)
      await erase(userKey(user.id))
    },
  }
}
