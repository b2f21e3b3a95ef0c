import { type Calls, changeUsers, eraseUsers } from '../../../infra/data/membership/change-users.ts'
import type { Decision } from '../../../infra/data/membership/plan-changes.ts'
import { linkNames, type View } from '../../../infra/data/table/linked-providers.ts'
import { encodeField } from '../../../infra/data/table/items.ts'
import { nullableInt32 } from '../../../lib/domain/fields.ts'
import { isListed, linksTo, type Links as Stored } from '../../../lib/domain/provider.ts'
import { type Item, linksOf } from '../../../lib/store/items.ts'
import type { Clock } from '../../../lib/time.ts'
import { int32, type Links } from '../../support/samples.ts'

const never = new AbortController().signal

/** Other writers of the table, which keep the rules for them. */
export function writers({ clock, ...calls }: Calls & { clock: Clock }) {
  const change = async (
    userId: string,
    done: string,
    linksAfter: (before: Stored, view: View) => Stored | string,
  ): Promise<string> => {
    const decide = (user: Item | undefined, view: View): Decision<string> => {
      if (user === undefined) return { outcome: 'user_not_found' }
      const links = linksAfter(linksOf(user), view)
      if (typeof links === 'string') return { outcome: links }
      const stored = Object.fromEntries(
        linkNames.map(name => [name, encodeField(nullableInt32, links[name])]),
      )
      const updated_at = new Date(clock.nowMs()).toISOString()
      return { outcome: done, to: { links, values: { ...stored, updated_at } } }
    }
    const [[outcome] = []] = await Array.fromAsync(changeUsers(calls, [[{ userId, decide }]], never))
    return outcome as string
  }
  const linksOn = ({ saml, sso }: Links) => ({ saml_provider_id: int32(saml), sso_provider_id: int32(sso) })
  const newLinks = (given: Links, { namedBy, linkedTo }: View) => {
    const links = linksOn(given)
    const areActive = linkNames
      .map(name => namedBy(name, links))
      .every(named => named.length === 0 || named.some(isListed))
    const areSettled = linkedTo(links).every(({ state }) => state === 'active' || state === 'removed')
    return areActive && areSettled ? links : 'provider_not_active'
  }
  return {
    link: (userId: string, links: Links) =>
      change(userId, 'linked', (before, view) =>
        before.saml_provider_id.valid || before.sso_provider_id.valid
          ? 'already_linked'
          : newLinks(links, view),
      ),
    /** Replaces all links of a user. */
    move: (userId: string, links: Links) => change(userId, 'moved', (_, view) => newLinks(links, view)),
    unlink: (userId: string, providerId: number) =>
      change(userId, 'unlinked', (before, { namedBy }) => {
        const [provider] = namedBy('saml_provider_id', linksOn({ saml: providerId }))
        if (provider === undefined) return 'provider_not_found'
        const names = linksTo(provider.resource, before)
        if (names.length === 0) return 'not_linked'
        return { ...before, ...Object.fromEntries(names.map(name => [name, int32()])) }
      }),
    erase: async (userId: string) =>
      (await eraseUsers(calls, [userId], never)).length === 0 ? 'erased' : 'user_not_found',
  }
}
