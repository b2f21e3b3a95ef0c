import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { deployPackage } from '../../../infra/serverless/deploy.ts'
import {
  apiAndSchedule,
  calling,
  cannedAws,
  noStack,
  noTable,
  partsOf,
  refusal,
  resourcesWith,
  stackIn,
  stackName,
} from './canned-aws.ts'

const folder = mkdtempSync(join(tmpdir(), 'deploy-'))
afterAll(() => rmSync(folder, { recursive: true }))
const packaged = { service: { provider: { compiledCloudFormationTemplate: {} } } }

const [older, newer, next] = ['1790000000001', '1790000000002', '1790000000003']
const KeySchema = [{ AttributeName: 'PK', KeyType: 'HASH' }]
const template = (...releases: string[]) => ({
  Resources: {
    ProviderTable: { Properties: { TableName: 'wanted', KeySchema } },
    ...Object.fromEntries(releases.map(release => [`ApiGatewayDeployment${release}`, {}])),
  },
  Metadata: { Parameters: { realm: 'r' } },
})
const parts = { ...apiAndSchedule, ...partsOf(older), ...partsOf(newer), ...partsOf(next) }
const ON = { Table: { KeySchema, TableStatus: 'ACTIVE', DeletionProtectionEnabled: true } }

interface Case {
  /** The states of the stack, one for each time it is asked for; undefined: there is none. */
  states: (string | undefined)[]
  /** The table of the stage; without one the wanted table does not exist. */
  table?: string
  answers?: Record<string, object[]>
  flags?: { changeTable?: true; adoptTable?: true }
  ended?: { exitCode: number | null; interrupted: boolean }
}

/** @returns the stack or the sentence of the failure, what was done and printed, and the releases of the package */
async function deploy({ states, table, answers = {}, flags, ended }: Case) {
  writeFileSync(join(folder, 'serverless-state.json'), JSON.stringify(packaged))
  const stacks = states.map(state => (state === undefined ? noStack : stackIn(state)))
  const own = table === undefined ? {} : { ProviderTable: table }
  const { aws, received } = cannedAws({
    DescribeStacks: [...stacks, new Error('asked once more')],
    ListStackResources: [resourcesWith({ ...parts, ...own })],
    DescribeTable: [table === 'wanted' ? ON : noTable],
    GetTemplate: [{ TemplateBody: JSON.stringify(template(older, newer)) }],
    ...{ ...calling(newer), UpdateStage: [{}], PutTargets: [{}] },
    ...answers,
  })
  const deployment = async (imports: boolean) => {
    received.push(run, ...(imports ? ['imports'] : []))
    return { exitCode: 0, interrupted: false, ...ended }
  }
  const made = { template: template(next), folder, deploy: deployment }
  const lines: string[] = []
  const log = (line: string) => lines.push(line)
  const result = await deployPackage(aws, { stage: 'dev', ...flags }, made, { log, pollMs: 0 }).catch(
    (error: Error) => error.message,
  )
  const { compiledCloudFormationTemplate: written } = JSON.parse(
    readFileSync(join(folder, 'serverless-state.json'), 'utf8'),
  ).service.provider
  const done = received.filter(action => !/^(Describe|List|Get)/.test(action))
  return { result, done, kept: Object.keys(written.Resources ?? {}), lines }
}

const run = 'the framework'
const update = { states: ['CREATE_COMPLETE', 'UPDATE_COMPLETE'], table: 'wanted' }
const failed = { exitCode: 1, interrupted: false }

describe('a deployment', () => {
  test('of a new stage runs the framework, makes the stage call the release, and returns the stack', async () => {
    const { result, done } = await deploy({ states: [undefined, 'CREATE_COMPLETE'] })
    expect(done).toEqual([run, 'imports', 'UpdateStage', 'PutTargets'])
    expect(result).toMatchObject({ name: stackName, status: 'CREATE_COMPLETE' })
  })

  test('of a deployed stage keeps the release that runs, and imports nothing', async () => {
    const { done, kept } = await deploy(update)
    expect(done).toEqual([run, 'UpdateStage', 'PutTargets'])
    expect(kept).toContain(`ApiGatewayDeployment${newer}`)
    expect(kept).not.toContain(`ApiGatewayDeployment${older}`)
  })

  const rolledBack = {
    GetStage: [{ deploymentId: `deployment-${older}` }, { deploymentId: `deployment-${newer}` }],
  }
  const late = { ...update, states: ['CREATE_COMPLETE', 'UPDATE_ROLLBACK_COMPLETE'], ended: failed }

  test('that fails makes the stage call the release that ran, also after a rollback', async () => {
    const { done, result } = await deploy({ ...late, answers: rolledBack })
    expect(done).toEqual([run, 'UpdateStage', 'PutTargets'])
    expect(result).toMatch(/the previous deployment is in place/)
  })

  test('that fails ends with its sentence, also when the stage cannot be moved back', async () => {
    const answers = { ...rolledBack, UpdateStage: [refusal('AccessDenied', 'not authorized')] }
    const { result, lines } = await deploy({ ...late, answers })
    expect(lines).toEqual([
      'It is not certain that stage dev calls its release of 2026-09-21T14:13:20.001Z again (not authorized).',
    ])
    expect(result).toMatch(/the previous deployment is in place/)
  })

  test.each<[string, Case, RegExp]>([
    ['a stack that can only be deleted', { states: ['REVIEW_IN_PROGRESS'] }, /REVIEW_IN_PROGRESS/],
    [
      'a table that exists',
      { states: [undefined], answers: { DescribeTable: [ON] } },
      /^The table wanted exists/,
    ],
    ['a forgotten table', { states: ['CREATE_COMPLETE'], table: 'running' }, /--change-table\.$/],
    [
      'a forgotten parameter',
      {
        ...update,
        answers: { GetTemplate: [{ TemplateBody: '{"Metadata":{"Parameters":{"sunsetAt":"then"}}}' }] },
      },
      /^Stage dev runs with sunsetAt=then, /,
    ],
  ])('is refused because of %s, and changes nothing', async (_, one, sentence) => {
    const { result, done } = await deploy(one)
    expect(result).toMatch(sentence)
    expect(done).toEqual([])
  })

  test('changes the table with --change-table', async () => {
    const { done } = await deploy({ ...update, table: 'running', flags: { changeTable: true } })
    expect(done).toContain(run)
  })

  test('takes over a table with --adopt-table, after it is prepared', async () => {
    const { done, lines } = await deploy({
      states: [undefined, 'CREATE_COMPLETE'],
      flags: { adoptTable: true },
      answers: {
        DescribeTable: [ON],
        DescribeTimeToLive: [{}],
        UpdateTimeToLive: [{}],
        DescribeContinuousBackups: [{}],
        UpdateContinuousBackups: [{}],
      },
    })
    expect(lines).toEqual(['The table got TTL.', 'The table got point-in-time recovery.'])
    expect(done.slice(0, 4)).toEqual(['UpdateTimeToLive', 'UpdateContinuousBackups', run, 'imports'])
  })

  test('that fails waits for the end of the rollback, and not for a stack that is dead', async () => {
    const states = ['CREATE_COMPLETE', 'UPDATE_ROLLBACK_IN_PROGRESS', 'UPDATE_ROLLBACK_COMPLETE']
    const rolled = await deploy({ ...late, states })
    expect(rolled.result).toMatch(/the previous deployment is in place \(UPDATE_ROLLBACK_COMPLETE\)/)
    const dead = await deploy({ states: [undefined, 'REVIEW_IN_PROGRESS'], ended: failed })
    expect(dead.result).toMatch(/is in the state REVIEW_IN_PROGRESS, [^\n]* npm run undeploy/)
  })

  test('that is interrupted does not wait, and says what AWS does', async () => {
    const { result, done } = await deploy({
      ...update,
      states: ['CREATE_COMPLETE', 'UPDATE_IN_PROGRESS'],
      ended: { exitCode: null, interrupted: true },
    })
    expect(result).toBe(
      `Interrupted, but AWS goes on with the stack ${stackName} (UPDATE_IN_PROGRESS): see its end with aws cloudformation describe-stacks --region eu-central-1 --stack-name ${stackName}; take back an update with aws cloudformation cancel-update-stack --region eu-central-1 --stack-name ${stackName}.`,
    )
    expect(done).toEqual([run])
  })

  test('is not done when the framework says so, but there is no stack', async () => {
    expect((await deploy({ states: [undefined, undefined] })).result).toMatch(/nothing is left of it/)
  })
})
