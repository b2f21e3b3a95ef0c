import { randomUUID } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { decode } from '../../lib/domain/fields.ts'
import { samlProviderShape, type User, userShape } from '../../lib/domain/resources.ts'
import { membershipItem, memberOf, providerItem, userItem } from '../../lib/store/items.ts'
import { membershipKey, members, providerKey, userKey } from '../../lib/store/keys.ts'
import { allProviders } from '../../lib/store/providers.ts'
import { abortable } from '../../lib/time.ts'
import type { Data } from '../data/open-data.ts'
import { type Check, refusal, type Target } from './checks.ts'

/** The deployment and the table for a trial removal. */
export interface Scratch {
  data: Data
  providerId: number
  /** The provider's id is appended to it. */
  deleteUrl: string
  /** Aborts the check; its items are deleted in any case. */
  signal: AbortSignal
}

/** @returns the highest free id */
export async function freeProviderId({ table }: Data, signal: AbortSignal): Promise<number> {
  const taken = new Set((await allProviders(table, signal)).map(({ resource }) => resource.id))
  for (let id = 2_147_483_647; ; id--)
    if (!taken.has(id) && (await table.query(members(id), memberOf, signal)).length === 0) return id
}

/** Creates a provider with two users, removes it through the deployed endpoint, and deletes all its items. */
export const removalCheck = (target: Target, scratch: Scratch): Check => ({
  name: 'removal',
  run: async () => {
    const { data, providerId, signal } = scratch
    const name = `smoke-test-${randomUUID()}`
    const users = [randomUUID(), randomUUID()]
      .sort()
      .map(id => decode(userShape, { id, principal_name: name, saml_provider_id: providerId }))
    const provider = decode(samlProviderShape, { id: providerId, name, display_name: name })
    const isFree = { ConditionExpression: 'attribute_not_exists(PK)' }
    try {
      const isMade = await data.transact(
        [
          { Put: { Item: providerItem(provider, users.length), ...isFree } },
          ...users.flatMap(user => [
            { Put: { Item: userItem(user), ...isFree } },
            { Put: { Item: membershipItem(providerId, user.id), ...isFree } },
          ]),
        ],
        signal,
      )
      if (!isMade) throw new Error(`another writer has taken the id ${providerId}: try again`)
      return await abortable(removeTwice(target, scratch, users), signal)
    } finally {
      const keys = users.flatMap(({ id }) => [userKey(id), membershipKey(providerId, id)])
      await data.transact(
        [{ Delete: deletionOf(providerId, name) }, ...keys.map(Key => ({ Delete: { Key } }))],
        new AbortController().signal,
      )
    }
  },
})

/** The condition that the provider still has this name, in case another writer has taken the id. */
const deletionOf = (providerId: number, name: string) => ({
  Key: providerKey(providerId),
  ConditionExpression: 'attribute_not_exists(PK) OR #name = :name',
  ExpressionAttributeNames: { '#name': 'name' },
  ExpressionAttributeValues: { ':name': name },
})

async function removeTwice(
  { ask, listUrl, token }: Target,
  { data, deleteUrl, providerId, signal }: Scratch,
  users: readonly User[],
): Promise<string> {
  const headers = { authorization: `Bearer ${token}` }
  const remove = () => ask(`${deleteUrl}${providerId}`, headers, 'DELETE')
  const first = await remove()
  if (first.status !== 200) throw new Error(refusal(first))
  const affected =
    (first.json as { data?: { affected_user?: User[] } } | undefined)?.data?.affected_user ?? []
  if (
    !isDeepStrictEqual(
      affected.map(user => user?.id),
      users.map(({ id }) => id),
    )
  )
    throw new Error(
      `answered with ${affected.length} users, not with the two that were linked: is --table its table?`,
    )
  if (affected.some(user => user.saml_provider_id?.valid !== false))
    throw new Error('answered with a user who is still linked')
  const again = await remove()
  if (again.status !== 200 || !isDeepStrictEqual(again.json, first.json))
    throw new Error(`answered the repeated DELETE differently, with ${again.status}`)
  const stored = await data.table.batchGet(
    users.map(({ id }) => userKey(id)),
    signal,
  )
  if (stored.length < users.length || stored.some(user => 'saml_provider_id' in user))
    throw new Error('answered 200, but a user is still linked in the table')
  const listed = await ask(listUrl, headers)
  const { saml_providers = [] } =
    (listed.json as { data?: { saml_providers?: { id: number }[] } })?.data ?? {}
  if (listed.status !== 200 || saml_providers.some(({ id }) => id === providerId))
    throw new Error('removed the provider but still lists it')
  return '200, two users unlinked, the same answer again'
}
