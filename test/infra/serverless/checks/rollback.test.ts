import { expect, test } from 'vitest'
import { checkRollback, packageFolder } from '../../../../infra/serverless/checks/rollback.ts'
import type { Template } from '../../../../infra/serverless/template.ts'
import { type Account, configOf, creating, creatingTemplate, using, usingTemplate } from './account.ts'

const check = (template: Template | undefined, account: Account) =>
  checkRollback({
    ...{ stage: 'prod', stackName: 'stack', bucket: 'bucket', key: 'folder/template.json' },
    config: configOf({ ...account, objects: template ? { 'bucket/folder/template.json': template } : {} }),
  })

test.each<[what: string, Template | undefined, Account['stack']]>([
  ['that creates the table of the stage', creatingTemplate('a'), creating('a')],
  ['that uses the table of the stage', usingTemplate('a'), using('a')],
  ['that uses the table of the stack, which keeps it', usingTemplate('a'), creating('a')],
  ['that is not in the bucket, which the framework says', undefined, creating('a')],
])('a rollback to a package %s passes', async (_, template, stack = {}) => {
  await expect(check(template, { stack })).resolves.toBeUndefined()
})

const remedy = 'check out its commit, and deploy the old code with the new parameters.'
test.each<[why: string, Template, Account['stack']]>([
  ['That package creates the table a, and stage prod uses b', creatingTemplate('a'), using('b')],
  ['That package creates the table a, which exists', creatingTemplate('a'), using('a')],
  ['That package uses the table a, and stage prod uses b', usingTemplate('a'), creating('b')],
])('%s: it is refused', async (why, template, stack = {}) => {
  await expect(check(template, { stack })).rejects.toThrow(`${why}: ${remedy}`)
})

test('a rollback to a package that creates a log group which exists is refused', async () => {
  const Group = { Type: 'AWS::Logs::LogGroup', Properties: { LogGroupName: '/logs' } }
  const template = { Resources: { ...creatingTemplate('a').Resources, Group } }
  await expect(check(template, { stack: creating('a'), logGroups: ['/logs'] })).rejects.toThrow(
    'The log groups /logs exist, and are not of the stack of stage prod',
  )
})

test.each(['1795450676000', '2026-11-23T16:17:56.000Z'])('the folder of %s is found', timestamp => {
  expect(packageFolder(timestamp)).toBe('1795450676000-2026-11-23T16:17:56.000Z')
})

test('a text that is no timestamp is refused', () => {
  expect(() => packageFolder('soon')).toThrow(
    '"soon" is no timestamp: npx serverless deploy list prints them.',
  )
})
