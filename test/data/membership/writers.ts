import type { View } from '../../../infra/data/table/linked-providers.ts'
import {
  type Calls,
  changeUsers,
  type Decision,
  linkNames,
} from '../../../infra/data/membership/change-users.ts'
import { eraseUsers } from '../../../infra/data/membership/erase-users.ts'
import { nullableInt32 } from '../../../lib/domain/fields.ts'
import {
  isLinked,
  isListed,
  linksTo,
  type ProviderRecord,
  type Links as Stored,
} from '../../../lib/domain/provider.ts'
import { type Item, linksOf } from '../../../lib/store/items.ts'
import type { Clock } from '../../../lib/time.ts'
import { int32, type Links } from '../../support/samples.ts'

const never = new AbortController().signal

/** Other writers of the table, which keep the rules for them. */
export function writers({ clock, ...calls }: Calls & { clock: Clock }) {
  const change = async (
    userId: string,
    done: string,
    linksAfter: (before: Stored, providers: readonly ProviderRecord[]) => Stored | string,
  ): Promise<string> => {
    const decide = (user: Item | undefined, { providers }: View): Decision<string> => {
      if (user === undefined) return { outcome: 'user_not_found' }
      const links = linksAfter(linksOf(user), providers)
      if (typeof links === 'string') return { outcome: links }
      const stored = Object.fromEntries(linkNames.map(name => [name, nullableInt32.encode(links[name])]))
      const updated_at = new Date(clock.nowMs()).toISOString()
      return { outcome: done, to: { links, values: { ...stored, updated_at } } }
    }
    const [outcome] = await changeUsers(calls, [{ userId, decide, alreadyMember: 'already_linked' }], never)
    return outcome as string
  }
  const newLinks = ({ saml, sso }: Links, providers: readonly ProviderRecord[]) => {
    const links = { saml_provider_id: int32(saml), sso_provider_id: int32(sso) }
    const named = providers.filter(({ resource }) => isLinked(links, resource))
    return named.every(isListed) ? links : 'provider_not_active'
  }
  return {
    link: (userId: string, links: Links) =>
      change(userId, 'linked', (before, providers) =>
        before.saml_provider_id.valid || before.sso_provider_id.valid
          ? 'already_linked'
          : newLinks(links, providers),
      ),
    /** Replaces all links of a user. */
    move: (userId: string, links: Links) =>
      change(userId, 'moved', (_, providers) => newLinks(links, providers)),
    unlink: (userId: string, providerId: number) =>
      change(userId, 'unlinked', (before, providers) => {
        const provider = providers.find(({ resource }) => resource.id === providerId)?.resource
        if (provider === undefined) return 'provider_not_found'
        const names = linksTo(provider, before)
        if (names.length === 0) return 'not_linked'
        return { ...before, ...Object.fromEntries(names.map(name => [name, int32()])) }
      }),
    erase: async (userId: string) =>
      (await eraseUsers(calls, [userId], never)).length === 0 ? 'erased' : 'user_not_found',
  }
}
