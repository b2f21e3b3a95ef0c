import type { User } from '../../lib/domain/resources.ts'
import { sampleProvider, sampleUser } from '../support/samples.ts'
import { type World, world } from '../support/world.ts'

export const accept = (coding: string) => ({ more: [['Accept-Encoding', coding]] as [string, string][] })
export const linked = (count: number) => Array.from({ length: count }, (_, n) => sampleUser(n, { saml: 7 }))

/** A world with one provider, 7, and its users. */
export async function worldOf(users: number, settings: Record<string, string> = {}) {
  const w = await world(settings)
  await w.putProvider(sampleProvider(7), linked(users))
  return w
}

/** Fails every BatchGetItem from the n-th on. @returns a function that ends this */
export function failReads({ client }: World, from: number, error: Error) {
  let reads = 0
  let isFailing = true
  client.middlewareStack.add(
    (next, { commandName }) =>
      args => {
        if (commandName === 'BatchGetItemCommand' && isFailing && ++reads >= from) throw error
        return next(args)
      },
    { step: 'initialize', name: 'failReads' },
  )
  return () => {
    isFailing = false
  }
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
  deps.removeProvider = async () => Object.assign(onePage(), { total })
}
