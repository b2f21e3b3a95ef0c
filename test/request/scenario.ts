import type { User } from '../../lib/domain/resources.ts'
import { abortable } from '../../lib/time.ts'
import type { Plan } from '../removal/faults.ts'
import { sampleProvider, sampleUsers } from '../support/samples.ts'
import { type World, world } from '../support/world.ts'

export const accept = (coding: string) => ({ more: [['Accept-Encoding', coding]] as [string, string][] })

/** Users 0 to `count` - 1, who are linked to provider 7. */
export const linked = (count: number) => sampleUsers(count, { saml: 7 })

/** A world with one provider, 7, and its users. */
export async function worldOf(users: number, settings: Record<string, string> = {}) {
  const w = await world(settings)
  await w.putProvider(sampleProvider(7), linked(users))
  return w
}

/** What happens to every BatchGetItem from the n-th on. */
export function readsFrom(nth: number, happens: () => Promise<never>): Plan {
  let reads = 0
  return ({ operation, send }) => (operation === 'BatchGetItem' && ++reads >= nth ? happens() : send())
}

/** Lets every BatchGetItem of a removal from the n-th on wait until its request is aborted. */
export function hangingReads({ clock, deps }: World, nth: number): Plan {
  const { removeProvider } = deps
  let signal: AbortSignal
  deps.removeProvider = (found, context) => {
    signal = context.signal
    return removeProvider(found, context)
  }
  return readsFrom(nth, () => clock.thaw(() => abortable(new Promise<never>(() => {}), signal)))
}

/** Makes the removal return `total` affected users, of which only one page is read. */
export function pretendTotal({ deps }: World, total: number, onEnd: () => void = () => {}) {
  async function* onePage(): AsyncGenerator<User[]> {
    try {
      yield linked(100)
    } finally {
      onEnd()
    }
  }
  deps.removeProvider = async () => ({ total, pages: onePage() })
}
