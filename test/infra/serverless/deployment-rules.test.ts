import { describe, expect, test } from 'vitest'
import {
  checkForgotten,
  checkStack,
  checkTable,
  failureOf,
  interruptionOf,
  isSettled,
} from '../../../infra/serverless/deployment-rules.ts'

const inState = (status: string) => ({ id: 'arn', name: 'service-dev', status, outputs: {} })
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

describe('an interrupted deployment says what AWS still does', () => {
  const place = '--region eu-central-1 --stack-name service-dev'
  test.each([
    [undefined, 'Interrupted: nothing is deployed.'],
    [
      'UPDATE_COMPLETE',
      'Interrupted: AWS changes nothing any more, and the stack service-dev is in the state UPDATE_COMPLETE.',
    ],
    [
      'UPDATE_IN_PROGRESS',
      `Interrupted, but AWS goes on with the stack service-dev (UPDATE_IN_PROGRESS): see its end with aws cloudformation describe-stacks ${place}; take back an update with aws cloudformation cancel-update-stack ${place}.`,
    ],
  ])('in the state %s', (status, sentence) => {
    expect(interruptionOf('eu-central-1', status === undefined ? undefined : inState(status))).toBe(sentence)
  })
})

describe('the table of a deployment', () => {
  const foreign =
    'The table wanted exists and does not belong to stage dev: take it over with --adopt-table, delete it, or choose another name with --param tableName=NAME.'
  const exists =
    'Stage dev uses the table running, and wanted exists without belonging to the stage: keep the first with --param tableName=running, or see "Change the table" in infra/README.md.'
  const change =
    'Stage dev uses the table running, and this deployment would change it to wanted, which is new and empty: keep it with --param tableName=running, or change it with --change-table.'
  test.each([
    ['is kept', 'wanted', true, false, undefined],
    ['is kept with --change-table, too', 'wanted', true, true, undefined],
    ['is created for a stage without one', undefined, false, false, undefined],
    ['is not one that exists', undefined, true, false, foreign],
    ['is not changed by accident', 'running', false, false, change],
    ['is changed with --change-table', 'running', false, true, undefined],
    ['is not changed to one that exists', 'running', true, false, exists],
    ['is not changed to one that exists, with --change-table, too', 'running', true, true, exists],
  ])('%s', (_, running, isThere, changeTable, sentence) => {
    const check = () =>
      checkTable({ stage: 'dev', running, wanted: 'wanted', exists: isThere, changeTable, adoptTable: false })
    if (sentence === undefined) expect(check).not.toThrow()
    else expect(check).toThrow(sentence)
  })
})

describe('the table of a deployment with --adopt-table', () => {
  test.each([
    ['is taken over', undefined, true, undefined],
    ['is kept when the stage has it', 'wanted', true, undefined],
    ['must exist', undefined, false, 'There is no table wanted to take over: '],
    [
      'does not replace that of the stage',
      'running',
      true,
      'Stage dev uses the table running, and wanted exists',
    ],
  ])('%s', (_, running, exists, sentence) => {
    const flags = { changeTable: false, adoptTable: true }
    const check = () => checkTable({ stage: 'dev', running, wanted: 'wanted', exists, ...flags })
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
