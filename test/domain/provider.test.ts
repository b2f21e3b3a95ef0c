import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  asRemoving,
  isKnown,
  isLinked,
  transitions,
  type ProviderRecord,
  parseProviderId,
} from '../../lib/domain/provider.ts'
import { sampleProvider, sampleUser } from '../support/samples.ts'

describe('a user is linked', () => {
  test.each([
    [{ saml: 7 }, undefined, true],
    [{ saml: 8, sso: 70 }, 70, true],
    [{ saml: 7, sso: 80 }, 70, true],
    [{}, undefined, false],
    [{}, 0, false],
    [{ saml: 8, sso: 80 }, 70, false],
    [{ saml: 70, sso: 7 }, 70, false],
    [{ sso: 0 }, undefined, false],
  ])('by %j to provider 7 of SSO provider %s: %s', (links, sso, linked) => {
    expect(isLinked(sampleUser(1, links), sampleProvider(7, sso))).toBe(linked)
  })
})

describe('a provider id', () => {
  test('is any int32 above 0 in canonical decimal form', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 2 ** 31 - 1 }), id => {
        expect(parseProviderId(String(id))).toBe(id)
      }),
      { examples: [[1], [2 ** 31 - 1]] },
    )
  })

  test.each(['2147483648', '21474836470', '0', '07', '7\n'])('is not %j', text =>
    expect(parseProviderId(text)).toBeUndefined(),
  )

  test('is nothing else', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'0123456789+-.ex ٧') }), text => {
        const id = parseProviderId(text)
        expect(id === undefined || (String(id) === text && id > 0 && id < 2 ** 31)).toBe(true)
      }),
    )
  })
})

test('a removed provider is known until its retention ends, any other always', () => {
  const removal = { id: 'r', startedAtMs: 0, retainedUntil: 10 }
  const record: ProviderRecord = { resource: sampleProvider(7), state: 'removed', memberCount: 0, removal }
  expect(isKnown(record, 9_999)).toBe(true)
  expect(isKnown(record, 10_000)).toBe(false)
  expect(isKnown({ ...record, state: 'removing' }, 10_000)).toBe(true)
  expect(isKnown({ ...record, state: 'active' }, 10_000)).toBe(true)
  expect(isKnown({ ...record, removal: undefined }, 10_000)).toBe(true)
})

test('only a provider in state removing with a readable removal is being removed', () => {
  const removal = { id: 'r', startedAtMs: 0, retainedUntil: 10 }
  const record: ProviderRecord = { resource: sampleProvider(7), state: 'removing', memberCount: 0, removal }
  expect(asRemoving(record, 0)).toEqual(record)
  const beganAheadBy = (ms: number) =>
    asRemoving({ ...record, removal: { ...removal, startedAtMs: 7 + ms } }, 7)
  expect(beganAheadBy(300_000)).toBeDefined()
  expect(beganAheadBy(300_001)).toBeUndefined()
  for (const other of [
    undefined,
    { ...record, removal: undefined },
    { ...record, state: 'active' as const },
    { ...record, state: 'removed' as const },
  ])
    expect(asRemoving(other, 0)).toBeUndefined()
})

test('no transition leads to an earlier state or leaves removed', () => {
  const order = ['active', 'removing', 'removed']
  for (const { from, to } of Object.values(transitions)) {
    expect(order.indexOf(from)).toBeLessThanOrEqual(order.indexOf(to))
    expect(from).not.toBe('removed')
  }
})
