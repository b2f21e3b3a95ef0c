import { userKey } from '../../lib/store/keys.ts'
import { unlinker } from '../../lib/store/unlink.ts'
import type { Mistake } from './scenario.ts'

/** Plausible mistakes, each planted into the real store. */
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
      await store.finish(providerId, removal, 0, removal.startedAtMs, signal)
      return begun
    },
    finish: async () => true,
  }),

  'a read is eventually consistent': store => ({
    ...store,
    members: async (...args) => (await store.members(...args)).slice(0, -1),
  }),

  'only the first page is read': store => ({
    ...store,
    members: async (...args) => (await store.members(...args)).slice(0, 25),
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

  'a refused update counts as a user who is not linked': (store, table) => ({
    ...store,
    unlinker: provider =>
      unlinker(
        {
          ...table,
          batchUpdate: async (...args) => {
            await table.batchUpdate(...args)
            return []
          },
        },
        provider,
      ),
  }),

  'a removed provider is not found': store => ({
    ...store,
    find: async (...args) => {
      const found = await store.find(...args)
      return found?.state === 'removed' ? undefined : found
    },
  }),

  'the list has only the users whom this attempt unlinked': store => ({
    ...store,
    members: async (...args) =>
      (await store.members(...args)).filter(member => member.expiresAt === undefined),
  }),
}
