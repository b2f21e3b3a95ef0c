import { expect, test } from 'vitest'
import type { ProviderRecord, ProviderState } from '../../lib/domain/provider.ts'
import { removeProvider } from '../../lib/removal/remove-provider.ts'
import type { RemovalStore } from '../../lib/removal/ports.ts'
import { fakeClock } from '../support/fake-clock.ts'
import { sampleProvider, sampleUser, userId } from '../support/samples.ts'
import { correctOrder } from './stages.ts'

const memberCount = 60
const members = Array.from({ length: memberCount }, (_, n) => n + 1)
const removal = { id: 'r', startedAtMs: 0, retainedUntil: 4e9 }
const found = (state: ProviderState): ProviderRecord => ({
  resource: sampleProvider(7),
  state,
  memberCount,
  removal: state === 'active' ? undefined : removal,
})

/** Removes a provider with a fake store that records the order of its calls. */
async function stagesOf(state: ProviderState) {
  const stages: string[] = []
  const at = (stage: string) => {
    if (stages.at(-1) !== stage) stages.push(stage)
  }
  const unlinked = new Set<string>()
  const store: RemovalStore = {
    async begin() {
      at('beginning')
      return { ...found('removing'), removal }
    },
    async mend() {
      throw new Error('mend is called for a valid removal')
    },
    async find() {
      throw new Error('find is called for a found provider')
    },
    async removing() {
      throw new Error('removing is called for one provider')
    },
    async members() {
      at('listing')
      const expiresAt = state === 'removed' ? removal.retainedUntil : undefined
      return members.map(n => ({ userId: userId(n), expiresAt }))
    },
    unlinker: () => async ids => {
      at('unlinking')
      await new Promise(resolve => setImmediate(resolve))
      for (const id of ids) unlinked.add(id)
    },
    async markUnlinked(_, ids) {
      at('unlinking')
      expect(ids.filter(id => !unlinked.has(id))).toEqual([])
    },
    async finish() {
      at('finishing')
      expect(unlinked.size).toBe(memberCount)
      return true
    },
    async users() {
      at('reporting')
      return [sampleUser(1)]
    },
  }
  const ports = { store, clock: fakeClock(), newId: () => 'r', retentionMs: 1000 }
  const context = { requestedBy: 'admin', log: () => {}, signal: new AbortController().signal }
  await Array.fromAsync(await removeProvider(ports, found(state), context))
  return stages
}

test('a removal works in the order of the model', async () => {
  expect(await stagesOf('active')).toEqual(correctOrder)
})

test('a removal that has begun continues with its listing, and writes nothing before', async () => {
  expect(await stagesOf('removing')).toEqual(correctOrder.slice(1))
})

test('a finished removal is listed and reported again', async () => {
  expect(await stagesOf('removed')).toEqual(['listing', 'reporting'])
})
