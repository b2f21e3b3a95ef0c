import { describe, expect, test } from 'vitest'
import { checkDeployment } from '../../../../infra/serverless/checks/deployment.ts'
import { contentOf } from '../../../../infra/serverless/checks/stack.ts'
import type { Template } from '../../../../infra/serverless/template.ts'
import { elsewhere, packagedOnce } from '../packaged.ts'
import {
  type Account,
  attributes,
  configOf,
  creating,
  creatingTemplate,
  type Resource,
  ttl,
  using,
  usingTemplate,
} from './account.ts'

const check = (template: Template, account: Account, leaveTable?: string) =>
  checkDeployment({ stage: 'prod', stackName: 'stack', template, leaveTable, config: configOf(account) })

const own = packagedOnce('prod')
const onOtherTable = packagedOnce('dev', elsewhere)

test('the checks find table, log groups and bucket in the template of a package', () => {
  const contentIn = ({ resources, outputs }: typeof own) =>
    contentOf({ Resources: resources, Outputs: outputs })
  const logGroups = ['listSamlProviders', 'deleteSamlProvider', 'finishRemovals'].map(
    name => `/aws/lambda/deprecated-saml-endpoints-prod-${name}`,
  )
  expect(contentIn(own)).toEqual({
    table: { name: 'saml-providers-prod', isCreated: true },
    logGroups: [...logGroups, '/aws/api-gateway/deprecated-saml-endpoints-prod/access'],
    hasBucket: true,
  })
  expect(contentIn(onOtherTable).table).toEqual({ name: 'restored', isCreated: false })
})

describe('the table of a deployment', () => {
  const both = { a: {}, b: {} }
  const enabling = { ...ttl, TimeToLiveStatus: 'ENABLING' }
  const AttributeDefinitions = [{ AttributeName: 'email', AttributeType: 'S' }, ...attributes('S')]

  test.each<[what: string, template: Template, Account, leaveTable?: string]>([
    ['that creates the table of a new stage', creatingTemplate('a'), {}],
    ['that creates it in a stack with nothing but its bucket', creatingTemplate('a'), { stack: {} }],
    ['that keeps the table', creatingTemplate('a'), { stack: creating('a'), tables: both }],
    ['of a new stage on a table that exists', usingTemplate('a'), { tables: both }],
    ['that takes its own table out', usingTemplate('a'), { stack: creating('a'), tables: both }],
    ['that leaves a table by name', usingTemplate('b'), { stack: creating('a'), tables: both }, 'a'],
    ['whose TTL is being switched on', usingTemplate('a'), { tables: { a: { ttl: enabling } } }],
    ['with an index', usingTemplate('a'), { tables: { a: { AttributeDefinitions } } }],
    ['of something else', { Resources: {} }, { stack: creating('a') }],
  ])('%s passes', async (_, template, account, leaveTable) => {
    await expect(check(template, account, leaveTable)).resolves.toBeUndefined()
  })

  const empties =
    'Stage prod uses the table a, and this deployment would give it the new, empty table b: keep tableName a, or name a table that exists and set createTable to false.'
  const leaves =
    'Stage prod uses the table a, and this deployment would give it b: keep tableName a, or confirm the change for this one deployment by --param "leaveTable=a".'
  const exists =
    'The table a exists, and is not of the stack of stage prod: set createTable to false to use it, or choose another tableName.'
  const isWrong =
    'There is no table x for this stage to leave, because it uses a: correct leaveTable, or leave it out.'
  const leavesNone = 'This deployment leaves no table, because stage prod'
  const hasNoTtl = 'The table a has no TTL on expires_at: switch it on as infra/operations.md says.'
  const KeySchema = [{ AttributeName: 'PK', KeyType: 'HASH' }]

  test.each<[sentence: string, template: Template, Account, leaveTable?: string]>([
    [empties, creatingTemplate('b'), { stack: creating('a'), tables: { a: {} } }, 'a'],
    [empties, creatingTemplate('b'), { stack: using('a'), tables: both }],
    [leaves, usingTemplate('b'), { stack: creating('a'), tables: both }],
    [leaves, usingTemplate('b'), { stack: using('a'), tables: both }],
    [isWrong, usingTemplate('b'), { stack: using('a'), tables: both }, 'x'],
    [`${leavesNone} keeps a: leave out leaveTable.`, usingTemplate('a'), { stack: using('a') }, 'a'],
    [`${leavesNone} has none: leave out leaveTable.`, usingTemplate('a'), { tables: both }, 'a'],
    [exists, creatingTemplate('a'), { tables: both }],
    [exists, creatingTemplate('a'), { stack: using('a'), tables: both }],
    [exists, creatingTemplate('a'), { stack: creating('a', 'DELETE_SKIPPED'), tables: both }],
    ['There is no table b: correct tableName, or let createTable be true.', usingTemplate('b'), {}],
    [
      'The table a has the key PK (S), not PK (S) and SK (S): it is not one of this service.',
      usingTemplate('a'),
      { tables: { a: { KeySchema } } },
    ],
    [
      'The table a has the key PK (N) and SK (N), not PK (S) and SK (S): it is not one of this service.',
      usingTemplate('a'),
      { tables: { a: { AttributeDefinitions: attributes('N') } } },
    ],
    [
      'The table a is not ready (CREATING): deploy when it is ACTIVE.',
      usingTemplate('a'),
      { tables: { a: { TableStatus: 'CREATING' } } },
    ],
    ...[{}, { ...ttl, AttributeName: 'ttl' }, { ...ttl, TimeToLiveStatus: 'DISABLING' }].map(
      (other): [string, Template, Account] => [
        hasNoTtl,
        usingTemplate('a'),
        { tables: { a: { ttl: other } } },
      ],
    ),
    ['may not ask', creatingTemplate('a'), { stack: 'may not ask' }],
  ])('is refused: %s', async (sentence, template, account, leaveTable) => {
    await expect(check(template, account, leaveTable)).rejects.toMatchObject({ message: sentence })
  })
})

describe('log groups that exist', () => {
  const group = (name: string, status?: string): Resource => [name, 'AWS::Logs::LogGroup', name, status]
  const created = (LogGroupName: string) => ({ Type: 'AWS::Logs::LogGroup', Properties: { LogGroupName } })
  const { Resources } = creatingTemplate('a')
  const template = { Resources: { ...Resources, A: created('/logs/a'), B: created('/logs/b') } }
  const logGroups = ['/logs/a', '/logs/a-other', '/logs/b']
  const remedy = 'export what is evidence and delete them, as "Undeploy" in infra/operations.md says.'

  test.each<[what: string, Account]>([
    ['of others', { logGroups: ['/logs/a-other'] }],
    ['of the stack', { logGroups, stack: { resources: [group('/logs/a'), group('/logs/b')] } }],
  ])('%s are none of its business', async (_, account) => {
    await expect(check(template, account)).resolves.toBeUndefined()
  })

  test('of an undeployed stage are kept', async () => {
    await expect(check(template, { logGroups, tables: { a: {} } })).rejects.toThrow(
      `The logs of an earlier stage prod exist (/logs/a, /logs/b): deploy a stage of another name, with createTable: false and tableName: a if it is to have the same table; or ${remedy}`,
    )
  })

  test.each(['DELETE_SKIPPED', 'CREATE_FAILED'])('as %s in a stack are not its own', async status => {
    const stack = { resources: [group('/logs/a'), group('/logs/b', status)] }
    await expect(check(template, { logGroups, stack })).rejects.toThrow(
      `The log groups /logs/b exist, and are not of the stack of stage prod: ${remedy}`,
    )
  })
})

describe('a stack', () => {
  test.each(['ROLLBACK_COMPLETE', 'ROLLBACK_FAILED'])('that is %s has to be removed first', async status => {
    await expect(check({ Resources: {} }, { stack: { status } })).rejects.toThrow(
      `The first deployment of stage prod failed, and its stack cannot be updated (${status}): run npm run undeploy -- --stage prod first.`,
    )
  })

  test('that has its packages in a bucket of yours keeps them there', async () => {
    const outputs = { ServerlessDeploymentBucketName: 'yours' }
    const withBucket = { Resources: { ServerlessDeploymentBucket: {} } }
    const sentence =
      'Stage prod has its packages in the bucket yours, and a running stage cannot get a bucket of its own: keep deploymentBucket: yours in infra/stages/prod.yml, or name another bucket of yours.'
    await expect(check(withBucket, { stack: { outputs } })).rejects.toThrow(sentence)
    const resources: Resource[] = [['ServerlessDeploymentBucket', 'AWS::S3::Bucket', 'packages']]
    for (const stack of [{ outputs, resources }, {}])
      await expect(check(withBucket, { stack })).resolves.toBeUndefined()
    await expect(check({ Resources: {} }, { stack: { outputs } })).resolves.toBeUndefined()
  })
})
