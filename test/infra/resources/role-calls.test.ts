import { describe, expect, test } from 'vitest'
import { explore, type Schedule } from '../../removal/explorer.ts'
import type { Call } from '../../removal/faults.ts'
import { scenarioFactory } from '../../removal/scenario.ts'
import { type Properties, packagedOnce } from '../serverless/packaged.ts'

const makeScenario = scenarioFactory(0, 2)
const deployment = packagedOnce('prod')

/** The action and the partition keys of each item of a call, as IAM sees them. */
function accesses({ operation, body }: Call): [action: string, key: string][] {
  const { Key, ExpressionAttributeValues, RequestItems, Statements } = body as Body
  if (Statements)
    return Statements.map(({ Statement, Parameters }) => {
      // `WHERE PK = ?` stands after the values of the changes.
      const before = Statement.slice(0, Statement.indexOf('PK = ?')).split('?').length - 1
      return [`dynamodb:PartiQL${Statement.startsWith('UPDATE') ? 'Update' : '?'}`, keyOf(Parameters[before])]
    })
  const keys = RequestItems
    ? Object.values(RequestItems).flatMap(({ Keys }) => Keys.map(({ PK }) => PK))
    : [Key?.PK ?? ExpressionAttributeValues?.[':partition']]
  return keys.map(key => [`dynamodb:${operation}`, keyOf(key)])
}

type Value = { S?: string } | undefined
interface Body {
  Key?: Record<string, Value>
  ExpressionAttributeValues?: Record<string, Value>
  RequestItems?: Record<string, { Keys: Record<string, Value>[] }>
  Statements?: { Statement: string; Parameters: Value[] }[]
}
const keyOf = (value: Value) => value?.S ?? expect.unreachable('a call without a partition key')

/** Whether a role allows an action on the items of a partition key. */
const isAllowed = (role: string, action: string, key: string) =>
  statementsOf(role).some(({ Action, Condition = {} }) => {
    const patterns = Object.values<Properties>(Condition).flatMap(tests => tests['dynamodb:LeadingKeys'])
    const matches = (pattern: string) =>
      pattern.endsWith('*') ? key.startsWith(pattern.slice(0, -1)) : key === pattern
    return [Action].flat().includes(action) && patterns.some(matches)
  })

const statementsOf = (role: string): Properties[] =>
  deployment.resources[role]?.Properties.Policies[0].PolicyDocument.Statement

// No emulator enforces roles: without a right, everything works everywhere but on AWS.
describe('each call of a removal is allowed by the role of its function', () => {
  const run = { by: 'the scheduled function' } as const
  test.each<[string, Schedule]>([
    ['from its beginning to its answer, and again', { processes: [['link', 'move', {}, {}]], lateMs: 250 }],
    [
      'that is abandoned and finished on a schedule',
      { processes: [[{ fates: [['crashes before it', 6]] }, run, {}]] },
    ],
    ['whose attributes are malformed', { processes: [[{}]] }],
  ])('%s', async (_, schedule) => {
    const isMalformed = schedule.processes[0]?.length === 1
    const start = isMalformed ? { provider: { state: 'removing', retained_until: 'soon' } } : {}
    const refused = new Set<string>()
    let calls = 0
    const onCall: Schedule['onCall'] = (call, by) => {
      calls += 1
      const role = by === undefined ? 'DeleteSamlProviderRole' : 'FinishRemovalsRole'
      for (const [action, key] of accesses(call))
        if (!isAllowed(role, action, key)) refused.add(`${role}: ${action} on ${key}`)
    }
    const { broken } = await explore(await makeScenario(4, start), { ...schedule, onCall })
    expect(broken).toEqual([])
    expect([...refused]).toEqual([])
    expect(calls).toBeGreaterThan(10)
  })
})
