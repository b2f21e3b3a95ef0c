import { expect, onTestFinished, test, vi } from 'vitest'
import { printMembers } from '../../infra/data/members.ts'
import { undoRemoval } from '../../infra/data/undo.ts'
import { captured } from '../support/machine.ts'
import { sampleProvider, sampleUsers } from '../support/samples.ts'
import { type Plan, withPlan } from '../support/test-client.ts'
import { file } from './import-fixtures.ts'
import { itemsOf, never, type Scenario, scenario } from './scenario.ts'

/** Lets the interval of the reports pass before each call, and a query read pages of 100 items. */
const slowly: Plan = ({ operation, body, send }) => {
  vi.advanceTimersByTime(5000)
  return send(operation === 'Query' ? { ...body, Limit: 100 } : body)
}

const undo = async (s: Scenario) => {
  await s.remove(7)
  await undoRemoval(s.data, 7, 107, () => {}, never)
}

test.each<[name: string, members: number, work: (s: Scenario) => Promise<unknown>, told: unknown[]]>([
  ['import', 0, s => s.import(file()), ['users written: 54 of 70', 'providers written: 1 of 2']],
  [
    'verify',
    9,
    s => s.find(),
    [expect.stringMatching(/^items read: [1-9]\d*$/), 'providers counted: 1 of 2'],
  ],
  [
    'members',
    600,
    s => printMembers(s.data, 7, never),
    // Pages of users are read ahead, so an engine decides how many are printed before the next call.
    ['memberships read: 100 of 600', expect.stringMatching(/^users printed: [1-5]00 of 600$/)],
  ],
  ['undo', 100, undo, ['users linked: 45 of 100']],
])('%s reports every five seconds how much is done', async (_, members, work, told) => {
  const s = await scenario()
  if (members > 0)
    await s.put(...itemsOf([sampleProvider(7), sampleProvider(8)], sampleUsers(members, { saml: 7 })))
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  onTestFinished(() => void vi.useRealTimers())
  const lines: string[] = []
  await captured(() => {
    vi.spyOn(process.stderr, 'write').mockImplementation(line => lines.push(String(line).trim()) > 0)
    return withPlan(slowly, () => work(s))
  })
  expect(lines).toEqual(expect.arrayContaining(told))
  expect(vi.getTimerCount()).toBe(0)
})
