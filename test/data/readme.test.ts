import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { findFaults } from '../../infra/data/verify/find-faults.ts'
import { repair } from '../../infra/data/verify/repair.ts'
import { eraseUser } from '../../infra/data/membership/unlink.ts'
import { type Plan, withPlan } from '../removal/faults.ts'
import { sampleUser, userId } from '../support/samples.ts'
import { ndjson, never, scenario } from './scenario.ts'
import { repairable } from './verify/repairable-faults.ts'
import { validItems } from './verify/valid-table.ts'

const readme = readFileSync(join(import.meta.dirname, '../../infra/data/README.md'), 'utf8')
const [example = '', policy = ''] = [...readme.matchAll(/```json\n([\s\S]*?)```/g)].map(([, json]) => json)

test('the example of the README is imported without faults', async () => {
  const s = await scenario()
  const { counts, faults, seen } = await s.import(example)
  expect([faults, [...seen.unknown]]).toEqual([[], []])
  expect(counts).toMatchObject({ providers: { written: 1 }, users: { written: 1 } })
  expect((await s.clock.moving(findFaults(s.data, () => {}, never))).faults).toEqual([])
})

test('the policy of the README has exactly the rights that the commands need', async () => {
  const s = await scenario()
  const items = validItems(s.clock.nowMs())
  for (const { plant } of repairable) plant(items, s.clock.nowMs())
  await s.put(...items.values())
  const needed = new Set<string>()
  const plan: Plan = ({ operation, body, send }) => {
    for (const action of actionsOf(operation, body)) needed.add(`dynamodb:${action}`)
    return send()
  }
  await withPlan(plan, async () => {
    await s.import(ndjson(...JSON.parse(example).map((one: object) => ({ ...one, id: 99 }))))
    await s.import(ndjson(sampleUser(200, { saml: 1 })))
    const { faults } = await s.clock.moving(findFaults(s.data, () => {}, never))
    for (const { repair: one } of faults) if (one) await s.clock.moving(repair(s.data, one, never))
    await eraseUser(s.data, userId(200), never)
  })
  expect([...needed].sort()).toEqual(JSON.parse(policy).Statement[0].Action.toSorted())
})

/** The IAM actions of a call: those of its parts for a transaction and for a batch of statements. */
function actionsOf(operation: string, body: Record<string, unknown>): string[] {
  if (operation === 'TransactWriteItems')
    return (body.TransactItems as object[])
      .flatMap(Object.keys)
      .map(kind => (kind === 'ConditionCheck' ? 'ConditionCheckItem' : `${kind}Item`))
  if (operation === 'BatchExecuteStatement')
    return (body.Statements as { Statement: string }[]).map(({ Statement }) =>
      Statement.startsWith('INSERT') ? 'PartiQLInsert' : 'PartiQLUpdate',
    )
  return [operation]
}
