import type { User } from '../../lib/domain/resources.ts'
import { abortable } from '../../lib/time.ts'
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
export function failReads(w: World, from: number, error: Error) {
  let isFailing = true
  changeReads(w, from, async send => (isFailing ? Promise.reject(error) : send()))
  return () => {
    isFailing = false
  }
}

/** Lets every BatchGetItem of a removal from the n-th on wait until its request is aborted. */
export function hangReads(w: World, from: number) {
  const { removeProvider } = w.deps
  w.deps.removeProvider = (found, context) => {
    const hung = () => abortable(new Promise<never>(() => {}), context.signal)
    changeReads(w, from, () => w.clock.thaw(hung))
    return removeProvider(found, context)
  }
}

function changeReads({ client }: World, from: number, change: <T>(send: () => Promise<T>) => Promise<T>) {
  let reads = 0
  client.middlewareStack.add(
    (next, { commandName }) =>
      args =>
        commandName === 'BatchGetItemCommand' && ++reads >= from ? change(() => next(args)) : next(args),
    { step: 'initialize', name: 'changeReads' },
  )
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
