import { describe, expect, test } from 'vitest'
import { rollBack } from '../../../infra/serverless/rollback.ts'
import { callRelease, findReleases } from '../../../infra/serverless/running-release.ts'
import { apiAndSchedule, calling, cannedAws, noStack, partsOf, resourcesWith, stack } from './canned-aws.ts'

const [older, newer] = ['1790000000001', '1790000000002']
const both: Record<string, string> = { ...apiAndSchedule, ...partsOf(older), ...partsOf(newer) }

/** Rolls back on an AWS with both releases, of which the newer one runs. */
async function rolledBack(changes: Record<string, object[]> = {}) {
  const { aws, received, inputs } = cannedAws({
    DescribeStacks: [{ Stacks: [{ StackStatus: 'UPDATE_COMPLETE' }] }],
    ListStackResources: [resourcesWith(both)],
    UpdateStage: [{}],
    PutTargets: [{}],
    ...calling(newer),
    ...changes,
  })
  const lines: string[] = []
  const fault = await rollBack(aws, 'dev', line => lines.push(line)).catch((error: Error) => error.message)
  return { lines, fault, inputs, changed: received.filter(action => /^(Update|Put)/.test(action)) }
}

describe('a rollback', () => {
  test('moves the API, then the schedule, to the release before, and says what it leaves', async () => {
    const { lines, inputs, changed } = await rolledBack()
    expect(changed).toEqual(['UpdateStage', 'PutTargets'])
    expect(inputs.UpdateStage).toEqual({
      restApiId: 'api',
      stageName: 'dev',
      patchOperations: [{ op: 'replace', path: '/deploymentId', value: `deployment-${older}` }],
    })
    expect(inputs.PutTargets).toEqual({
      Rule: 'schedule',
      Targets: [{ Id: 'run', Arn: `version-${older}`, Input: '{}' }],
    })
    expect(lines).toEqual([
      'Stage dev is rolled back from the release of 2026-09-21T14:13:20.002Z to that of 2026-09-21T14:13:20.001Z: its API and its schedule call that one.',
      'Table, roles, alarms, dashboard, throttling and access log stay as they were deployed last.',
    ])
  })

  test('that was interrupted after the API moves the schedule', async () => {
    const { changed, fault } = await rolledBack(calling(older, newer))
    expect({ changed, fault }).toEqual({ changed: ['PutTargets'], fault: undefined })
  })

  test('that the schedule refuses is not done', async () => {
    const FailedEntries = [{ ErrorMessage: 'no' }]
    const { fault, lines } = await rolledBack({ PutTargets: [{ FailedEntries }] })
    expect(fault).toBe('The rule schedule cannot be changed: no')
    expect(lines).toEqual([])
  })

  const inState = (StackStatus: string) => ({ DescribeStacks: [{ Stacks: [{ StackStatus }] }] })

  test.each<[string, Record<string, object[]>, RegExp]>([
    ['is not deployed', { DescribeStacks: [noStack] }, /^Stage dev is not deployed in eu-central-1 /],
    ['was never deployed', inState('ROLLBACK_COMPLETE'), /^Stage dev is not deployed: /],
    [
      'is being deployed',
      inState('UPDATE_IN_PROGRESS'),
      /^Stage dev is being changed \(UPDATE_IN_PROGRESS\): wait/,
    ],
    [
      'has one release',
      { ListStackResources: [resourcesWith({ ...apiAndSchedule, ...partsOf(newer) })] },
      /^Stage dev has no earlier release: deploy its commit; see "Roll back" in infra\/releases\.md\.$/,
    ],
    ['is rolled back already', calling(older), /^Stage dev is rolled back already, to the release of 2026-/],
  ])('of a stage that %s is refused', async (_, changes, sentence) => {
    const { fault, changed } = await rolledBack(changes)
    expect(fault).toMatch(sentence)
    expect(changed).toEqual([])
  })
})

describe('the releases of a stage', () => {
  const releases = (physicalIds: Record<string, string>, more = calling(newer)) =>
    findReleases(cannedAws({ ListStackResources: [resourcesWith(physicalIds)], ...more }).aws, stack)

  test('are those whose deployment and versions the stack has; one of them runs', async () => {
    const { [`FinishRemovalsLambdaFunctionVersion${older}`]: _, ...withoutVersion } = both
    expect(await releases(both)).toEqual({ ids: [older, newer], running: newer })
    expect(await releases(both, calling(older))).toEqual({ ids: [older, newer], running: older })
    expect(await releases(withoutVersion)).toEqual({ ids: [newer], running: newer })
    expect(await releases(withoutVersion, calling(older))).toEqual({ ids: [newer], running: undefined })
  })

  test('are none in a stack without an API, as after a first deployment that failed', async () => {
    const { aws } = cannedAws({ ListStackResources: [resourcesWith({})] })
    expect(await findReleases(aws, stack)).toEqual({ ids: [], running: undefined })
    expect(await callRelease(aws, stack, newer)).toBe(false)
  })
})
