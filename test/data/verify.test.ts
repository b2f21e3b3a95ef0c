import { expect, test } from 'vitest'
import { userId } from '../support/samples.ts'
import { type Plan, withoutPlan, withPlan } from '../support/test-client.ts'
import { writers } from '../support/writers.ts'
import { scenario } from './scenario.ts'
import { type Changes, changedTable, keyOf } from './valid-table.ts'

const of = (name: string) => Object.values(keyOf(name)).join(' ')
const expiring = (name: string) => `${of(name)}: expires_at is set: TTL deletes it`
const pair = (provider: number, n: number) => `provider ${provider}, user ${userId(n)}`
const memberOf = (provider: string) => `SAML_PROVIDER#${provider} USER#${userId(1)}`
const upperCase = `USER#${userId(1).replace('8000', 'ABCD')} USER`
const miscounted = (id: number) => `provider ${id}: member_count is not the number of its memberships`
const unfound = (item: string) => `${item}: the service does not find an item with such a key`

const planted: [name: string, changes: Changes, faults: string[]][] = [
  ['no change', {}, []],
  ['items of other programs', { 'INVOICE#1 INVOICE': {}, [`USER#${userId(1)} SESSION#1`]: {} }, []],
  [
    'a lost membership',
    { 'M1.1': undefined, P1: { member_count: 3 } },
    [`${pair(1, 1)}: linked without a membership`],
  ],
  ['what a removal is changing', { U6: { saml: undefined }, U7: { saml: 4 }, P4: { member_count: 9 } }, []],
  [
    'a left membership',
    { 'M1.7': {}, P1: { member_count: 5 } },
    [`${pair(1, 7)}: a membership without a link`],
  ],
  [
    'a membership of nobody',
    { 'M1.55': {}, P1: { member_count: 5 } },
    [`${pair(1, 55)}: a membership without a link`],
  ],
  ['a membership of no provider', { 'M8.7': {} }, [`${of('M8.7')}: there is no such provider`]],
  ['a count that is too low', { P1: { member_count: 3 } }, [miscounted(1)]],
  ['a count that is too high', { P1: { member_count: 5 } }, [miscounted(1)]],
  ['a count that is a text', { P1: { member_count: '4' } }, [miscounted(1)]],
  [
    'a link to a removed provider',
    { U7: { saml: 5 } },
    [`${of('U7')}: linked by saml_provider_id 5 to provider 5, which is removed`],
  ],
  [
    'a link to no provider',
    { U7: { saml: 8 } },
    [`${of('U7')}: linked by saml_provider_id 8 to a provider that is not there`],
  ],
  [
    'a link by what only a removed provider has',
    { P5: { sso: 50 }, U7: { sso: 50 } },
    [`${of('U7')}: linked by sso_provider_id 50 to provider 5, which is removed`],
  ],
  ['a link by what its successor has, too', { P5: { sso: 10 } }, []],
  ['a provider that expires', { P2: { expires_at: 4e9 } }, [expiring('P2')]],
  ['a user who expires', { U7: { expires_at: 4e9 } }, [expiring('U7')]],
  ['a membership that expires', { 'M3.9': { expires_at: 4e9 } }, [expiring('M3.9')]],
  [
    'one SSO provider twice',
    { P3: { sso: 99 }, P2: { sso: 99 }, 'M3.8': {}, 'M2.8': {} },
    [miscounted(2), miscounted(3), 'sso_provider_id 99: several providers have it'],
  ],
  [
    'a provider whose state is unknown',
    { P3: { state: 'retired', sso: 30 }, U8: { sso: 30 } },
    [`${of('P3')}: its state is unknown: it is not listed`],
  ],
  [
    'a provider whose key is too short',
    {
      P3: undefined,
      'SAML_PROVIDERS PROVIDER#3': { state: 'active', sso_provider_id: 50 },
      P5: { sso: 50 },
      U8: { sso: 50 },
    },
    [unfound('SAML_PROVIDERS PROVIDER#3')],
  ],
  ...[{ is_disabled: 'true' }, { deleted_at: '2024-01-01 10:00:00+00' }, { sso: null }].map(
    (value): [string, Changes, string[]] => [
      `a user who has ${JSON.stringify(value)}`,
      { U7: value },
      [`${of('U7')}: is_disabled, deleted_at or a link cannot be read: the service refuses this user`],
    ],
  ),
  ['a user id in upper case', { [upperCase]: {} }, [unfound(upperCase)]],
  [
    'a membership in upper case',
    { [memberOf('1').replace('8000', 'ABCD')]: {}, P1: { member_count: 5 } },
    [`${memberOf('1').replace('8000', 'ABCD')}: its user id must be in lower case`],
  ],
  ['a membership of "01"', { [memberOf('01')]: {} }, [unfound(memberOf('01'))]],
  ['a membership of no number', { [memberOf('x')]: {} }, [unfound(memberOf('x'))]],
]

async function tableWith(changes: Changes = {}) {
  const s = await scenario()
  await s.put(...changedTable(changes))
  return s
}

test.each(planted)('verify names exactly the faults of a table with %s', async (_, changes, faults) => {
  const s = await tableWith(changes)
  const stored = await s.items()
  expect(await s.find()).toEqual(faults)
  expect(await s.items()).toEqual(stored)
})

test('verify finds no fault where a writer keeps the rules meanwhile', async () => {
  let looks = 0
  for (let n = 1; n <= 32; n++) {
    const s = await tableWith()
    const { move } = writers(s.data)
    const moves = [() => move(userId(1), { saml: 2 }), () => move(userId(1), { saml: 1 })]
    let scans = 0
    const plan: Plan = async ({ operation, send }) => {
      // In each look, before the n-th of its 32 scans.
      if (operation === 'Scan' && ++scans % 32 === n % 32) await withoutPlan(async () => moves.shift()?.())
      return send()
    }
    expect(await withPlan(plan, () => s.find()), `scan ${n}`).toEqual([])
    looks += scans / 32
  }
  expect(looks).toBeGreaterThan(32)
})

/** Lets a user join provider 3, or leave it, each time before or after its memberships are read. */
const changing = (s: Awaited<ReturnType<typeof scenario>>, when: 'before' | 'after'): Plan => {
  let isMember = false
  const change = () => {
    isMember = !isMember
    return withoutPlan(() => writers(s.data).move(userId(7), isMember ? { saml: 3 } : {}))
  }
  return async ({ operation, body, send }) => {
    if (operation !== 'Query' || !JSON.stringify(body).includes('SAML_PROVIDER#3')) return send()
    if (when === 'before') await change()
    const reply = await send()
    if (when === 'after') await change()
    return reply
  }
}

test.each(['before', 'after'] as const)(
  'verify tells a count that stays wrong from one that a writer changes %s each read',
  async when => {
    const s = await tableWith()
    expect(await withPlan(changing(s, when), () => s.find())).toEqual([])
    const wrong = await tableWith({ P3: { member_count: 5 } })
    expect(await withPlan(changing(wrong, when), () => wrong.find())).toEqual([miscounted(3)])
  },
)
