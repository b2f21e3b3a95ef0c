import { type Calls, changeUsers, eraseUsers } from '../../../infra/data/membership/change-users.ts'
import type { Decision } from '../../../infra/data/membership/plan-changes.ts'
import { linkNames, type View } from '../../../infra/data/table/linked-providers.ts'
import { isListed, type Links as Named } from '../../../lib/domain/provider.ts'
import type { Item } from '../../../lib/store/items.ts'
import type { Clock } from '../../../lib/time.ts'
import { int32, type Links } from '../../support/samples.ts'

const never = new AbortController().signal

/** Whether users may be linked so: each link that names a provider names an active one, and none in another use. */
const mayLink = ({ namedBy, linkedTo }: View, links: Named) =>
  linkNames.map(name => namedBy(name, links)).every(named => named.length === 0 || named.some(isListed)) &&
  linkedTo(links).every(({ state }) => state === 'active' || state === 'removed')

/** Other writers of the table, which keep the rules for them. */
export const writers = ({ clock, ...calls }: Calls & { clock: Clock }) => ({
  /** Gives a user these links, and no others. */
  async move(userId: string, { saml, sso }: Links): Promise<string | undefined> {
    const links = { saml_provider_id: int32(saml), sso_provider_id: int32(sso) }
    const decide = (user: Item | undefined, view: View): Decision<string> => {
      if (user === undefined) return { outcome: 'user_not_found' }
      if (!mayLink(view, links)) return { outcome: 'provider_not_active' }
      const updated_at = new Date(clock.nowMs()).toISOString()
      const values = { saml_provider_id: saml, sso_provider_id: sso, updated_at }
      return { outcome: 'moved', to: { links, values } }
    }
    const [[outcome] = []] = await Array.fromAsync(changeUsers(calls, [[{ userId, decide }]], never))
    return outcome
  },
  erase: async (userId: string) =>
    (await eraseUsers(calls, [userId], never)).length === 0 ? 'erased' : 'user_not_found',
})
