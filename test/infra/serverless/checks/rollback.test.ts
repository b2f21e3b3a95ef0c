import { expect, test } from 'vitest'
import { checkRollback, packageFolder } from '../../../../infra/serverless/checks/rollback.ts'
import type { Template } from '../../../../infra/serverless/template.ts'
import { type Account, configOf, creating, using } from './account.ts'
import { creatingTemplate, usingTemplate } from './templates.ts'

const check = (template: Template, account: Account) =>
  checkRollback({
    ...{ stage: 'prod', stackName: 'stack', bucket: 'bucket', key: 'folder/template.json' },
    config: configOf({ ...account, objects: { 'bucket/folder/template.json': template } }),
  })

test.each<[Template, Account['stack']]>([
  [creatingTemplate('a'), creating('a')],
  [usingTemplate('a'), using('a')],
  [usingTemplate('a'), creating('a')], // it leaves the stack, and is kept
])('a rollback to a package with the table of the stage passes', async (template, stack) => {
  await expect(check(template, { stack: stack ?? {} })).resolves.toBeUndefined()
})

const remedy = 'check out its commit, and deploy the old code with the new parameters.'
test.each<[why: string, Template, Account['stack']]>([
  ['That package creates the table a, and stage prod uses b', creatingTemplate('a'), using('b')],
  ['That package creates the table a, which exists', creatingTemplate('a'), using('a')],
  ['That package uses the table a, and stage prod uses b', usingTemplate('a'), creating('b')],
])('%s: it is refused', async (why, template, stack) => {
  await expect(check(template, { stack: stack ?? {} })).rejects.toThrow(`${why}: ${remedy}`)
})

test('a rollback to a package that creates a log group which exists is refused', async () => {
  const Group = { Type: 'AWS::Logs::LogGroup', Properties: { LogGroupName: '/logs' } }
  const template = { Resources: { ...creatingTemplate('a').Resources, Group } }
  await expect(check(template, { stack: creating('a'), logGroups: ['/logs'] })).rejects.toThrow(
    'The log groups /logs exist, and are not of the stack of stage prod',
  )
})

test('a package that is not in the bucket is left to the framework', async () => {
  const config = configOf({ stack: creating('a') })
  const missing = { stage: 'prod', stackName: 'stack', bucket: 'bucket', key: 'none', config }
  await expect(checkRollback(missing)).resolves.toBeUndefined()
})

test.each(['1795450676000', '2026-11-23T16:17:56.000Z'])('the folder of %s is found', timestamp => {
  expect(packageFolder(timestamp)).toBe('1795450676000-2026-11-23T16:17:56.000Z')
})

test('a text that is no timestamp is refused', () => {
  expect(() => packageFolder('soon')).toThrow(
    '"soon" is no timestamp: npx serverless deploy list prints them.',
  )
})
