import { userKey } from '../../lib/store/keys.ts'
import { unlinker } from '../../lib/store/unlink.ts'
import type { Mistake } from './scene.ts'

/** The mistakes that are easily made, each planted where the real code does it right. */
export const mistakes: Record<string, Mistake> = {
  'users are marked before they are unlinked': store => {
    const unlinks = new Map<string | undefined, () => Promise<void>>()
    return {
      ...store,
      unlinker: provider => {
        const unlink = store.unlinker(provider)
        return async (userIds, atMs, signal) =>
          void unlinks.set(userIds[0], () => unlink(userIds, atMs, signal))
      },
      markUnlinked: async (providerId, userIds, until, signal) => {
        await store.markUnlinked(providerId, userIds, until, signal)
        await unlinks.get(userIds[0])?.()
      },
    }
  },

  'the removal is finished before users are unlinked': store => ({
    ...store,
    begin: async (providerId, removal, requestedBy, signal) => {
      const begun = await store.begin(providerId, removal, requestedBy, signal)
      await store.finish(providerId, removal, removal.startedAtMs, signal)
      return begun
    },
    finish: async () => true,
  }),

  'a read is eventually consistent': store => ({
    ...store,
    members: async (...asked) => (await store.members(...asked)).slice(0, -1),
  }),

  'only the first page is read': store => ({
    ...store,
    members: async (...asked) => (await store.members(...asked)).slice(0, 25),
  }),

  'users are unlinked unconditionally': (store, table) => ({
    ...store,
    unlinker: () => async (userIds, atMs, signal) => {
      const change = {
        UpdateExpression: 'SET updated_at = :at REMOVE saml_provider_id, sso_provider_id',
        ExpressionAttributeValues: { ':at': new Date(atMs).toISOString() },
      }
      for (const userId of userIds) await table.update(userKey(userId), change, signal)
    },
  }),

  'a refused update is taken for a user who is not linked': (store, table) => ({
    ...store,
    unlinker: provider =>
      unlinker(
        {
          ...table,
          batchUpdate: async (...asked) => {
            await table.batchUpdate(...asked)
            return []
          },
        },
        provider,
      ),
  }),

  'a removed provider is not found': store => ({
    ...store,
    find: async (...asked) => {
      const found = await store.find(...asked)
      return found?.state === 'removed' ? undefined : found
    },
  }),

  'the list is what this try unlinked': store => ({
    ...store,
    members: async (...asked) =>
      (await store.members(...asked)).filter(member => member.expiresAt === undefined),
  }),
}
