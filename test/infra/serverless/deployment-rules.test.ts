import { describe, expect, test } from 'vitest'
import {
  checkForgotten,
  checkStack,
  checkTable,
  failureOf,
  interruptionOf,
  isSettled,
} from '../../../infra/serverless/deployment-rules.ts'

const inState = (status: string) => ({
  id: 'arn',
  name: 'service-dev',
  status,
  isProtected: false,
  outputs: {},
})
const deadEnd = (status: string) =>
  `the stack service-dev is in the state ${status}, which no deployment can change; remove it with npm run undeploy -- --stage dev and deploy again.`

describe('a stack', () => {
  test.each(['REVIEW_IN_PROGRESS', 'CREATE_FAILED', 'ROLLBACK_COMPLETE', 'ROLLBACK_FAILED', 'DELETE_FAILED'])(
    'in the state %s can only be deleted, and is not waited for',
    status => {
      expect(() => checkStack('dev', inState(status))).toThrow(
        `Stage dev is not deployed: ${deadEnd(status)}`,
      )
      expect(isSettled(inState(status))).toBe(true)
    },
  )

  test.each([
    ['CREATE_COMPLETE', true],
    ['UPDATE_ROLLBACK_COMPLETE', true],
    ['UPDATE_ROLLBACK_FAILED', true],
    ['ROLLBACK_IN_PROGRESS', false],
    ['UPDATE_COMPLETE_CLEANUP_IN_PROGRESS', false],
  ])('in the state %s can be deployed to; it is settled: %s', (status, settled) => {
    expect(() => checkStack('dev', inState(status))).not.toThrow()
    expect(isSettled(inState(status))).toBe(settled)
  })
})

describe('a failed deployment says what is left and what to do', () => {
  const before = inState('UPDATE_COMPLETE')
  test.each([
    [undefined, undefined, 'nothing is left of it; remove the cause and deploy again.'],
    [undefined, 'ROLLBACK_COMPLETE', deadEnd('ROLLBACK_COMPLETE')],
    [undefined, 'REVIEW_IN_PROGRESS', deadEnd('REVIEW_IN_PROGRESS')],
    [
      undefined,
      'UPDATE_ROLLBACK_COMPLETE',
      'a part of it is left (UPDATE_ROLLBACK_COMPLETE); remove the cause and deploy again, or remove that part with npm run undeploy -- --stage dev.',
    ],
    [
      before,
      'UPDATE_ROLLBACK_COMPLETE',
      'the previous deployment is in place (UPDATE_ROLLBACK_COMPLETE); remove the cause and deploy again.',
    ],
  ])('before %j, after %j', (earlier, after, remedy) => {
    expect(failureOf('dev', earlier, after === undefined ? undefined : inState(after))).toBe(
      `Stage dev is not deployed, for the reason above: ${remedy}`,
    )
  })
})

test.each([
  [undefined, 'Interrupted: nothing is deployed.'],
  [
    'UPDATE_COMPLETE',
    'Interrupted: AWS changes nothing any more, and the stack service-dev is in the state UPDATE_COMPLETE.',
  ],
])('an interrupted deployment that left the state %s says that AWS has ended', (status, sentence) => {
  expect(interruptionOf('eu-central-1', status === undefined ? undefined : inState(status))).toBe(sentence)
})

describe('the table of a deployment', () => {
  const foreign =
    'The table wanted exists and does not belong to stage dev: take it over with --adopt-table, delete it, or choose another name with --param tableName=NAME.'
  const both =
    'Stage dev uses the table running, and wanted exists without belonging to the stage: keep the first with --param tableName=running, or see "Change the table" in infra/releases.md.'
  const change =
    'Stage dev uses the table running, and this deployment would change it to wanted, which is new and empty: keep it with --param tableName=running, or change it with --change-table.'
  const absent = 'There is no table wanted to take over: leave out --adopt-table, or correct tableName.'
  const [no, yes] = [{ exists: false }, { exists: true }]
  test.each([
    ['is kept, whatever is asked for', 'wanted', { ...yes, changeTable: true, adoptTable: true }, undefined],
    ['is created for a stage without one', undefined, no, undefined],
    ['is not one that exists', undefined, yes, foreign],
    ['is taken over with --adopt-table', undefined, { ...yes, adoptTable: true }, undefined],
    ['is not taken over when there is none', undefined, { ...no, adoptTable: true }, absent],
    ['is not changed by accident', 'running', no, change],
    ['is changed with --change-table', 'running', { ...no, changeTable: true }, undefined],
    ['is not changed to one that exists', 'running', { ...yes, changeTable: true, adoptTable: true }, both],
  ])('%s', (_, running, more, sentence) => {
    const flags = { changeTable: false, adoptTable: false }
    const check = () => checkTable({ stage: 'dev', running, wanted: 'wanted', ...flags, ...more })
    if (sentence === undefined) expect(check).not.toThrow()
    else expect(check).toThrow(sentence)
  })
})

describe('a parameter of the running stage', () => {
  const running = { sunsetAt: 'then', realm: 'r' }
  test.each([
    ['is changed', { sunsetAt: 'later', realm: 'q' }, [], undefined],
    ['is reset by naming it with its default', { realm: 'r' }, ['sunsetAt='], undefined],
    ['is not forgotten', { realm: 'r', logRetentionDays: '7' }, ['logRetentionDays=7'], 'sunsetAt=then'],
    ['is not forgotten with another', {}, [], 'sunsetAt=then and realm=r'],
  ])('%s', (_, wanted, given, forgotten) => {
    const check = () => checkForgotten({ stage: 'dev', running, wanted, given })
    if (forgotten === undefined) expect(check).not.toThrow()
    else
      expect(check).toThrow(
        `Stage dev runs with ${forgotten}, which this deployment does not name and would reset: write it into infra/stages/dev.yml, or name it with the value that it shall have.`,
      )
  })
})
