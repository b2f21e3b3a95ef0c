import { undoRemoval } from '../../infra/data/undo.ts'
import { type Links, sampleProvider, sampleUser } from '../support/samples.ts'
import { itemsOf, never, scenario } from './scenario.ts'

const other = sampleProvider(8, 80)
export const note = 'of another program'
const links: Links[] = [{ saml: 7 }, { sso: 70 }, { saml: 7, sso: 70 }]
/** Users in all three ways. */
export const members = (count: number) => Array.from({ length: count }, (_, n) => sampleUser(n, links[n % 3]))

/** A table from which provider 7 of SSO provider 70 was removed. */
export async function removed(users = members(100), open = scenario, provider = sampleProvider(7, 70)) {
  const s = await open()
  await s.put(...itemsOf([provider, other], users).map(item => ({ ...item, note })))
  const listed = await s.remove(7)
  /** @returns the numbers of users by what became of them */
  const undo = async (as = 107) => {
    const counts: Record<string, number> = {}
    const tell = (_: string, outcome: string) => {
      counts[outcome] = (counts[outcome] ?? 0) + 1
    }
    await s.clock.moving(undoRemoval(s.data, 7, as, tell, never))
    return counts
  }
  return { ...s, listed, undo }
}
