import { randomUUID } from 'node:crypto'
import { afterEach, beforeEach, expect, inject, test } from 'vitest'
import { connectTo } from '../../../infra/dynamodb/client.ts'
import { dropTable } from '../../../infra/resources/table.ts'
import { type FakeAws, startFakeAws } from './fake-aws/fake-aws.ts'
import { issuers } from './packaged.ts'
import { runCommand } from './run-command.ts'

/** In practice no limit: the framework's duration depends on the machine. */
const maxMs = 600_000
const tableName = `failed-deployment-test-${randomUUID()}`
const parameters = [`issuers=${issuers}`, `tableName=${tableName}`, 'gatewayAccessLogs=true']
const given = parameters.flatMap(parameter => ['--param', parameter])

let aws: FakeAws
const run = (name: string, options: string[]) => runCommand(name, options, { AWS_ENDPOINT_URL: aws.url })
const lastLine = (text: string) => text.trimEnd().split('\n').at(-1)

beforeEach(async () => {
  aws = await startFakeAws(inject('dynamodbEndpoint'))
})
afterEach(async () => {
  aws.stop()
  const client = connectTo(inject('dynamodbEndpoint'))
  await dropTable(client, tableName)
  client.destroy()
})

test('a deployment that fails in CloudFormation reports the state of the stack and the remedy', {
  timeout: maxMs,
}, async () => {
  aws.account.logGroups.add('/aws/api-gateway/deprecated-saml-endpoints-dev/access')
  const refused = await run('deploy', given)
  expect(refused.stdout + refused.stderr).toContain('/access already exists')
  expect(lastLine(refused.stderr)).toBe(
    'Stage dev is not deployed, for the reason above: a part of it is left (UPDATE_ROLLBACK_COMPLETE); remove the cause and deploy again, or remove that part with npm run undeploy -- --stage dev.',
  )
  expect(refused.code).toBe(1)
})

test('a first deployment whose change set is not executed can be removed', {
  timeout: maxMs,
}, async () => {
  const deadEnd =
    'the stack deprecated-saml-endpoints-dev is in the state REVIEW_IN_PROGRESS, which no deployment can change; remove it with npm run undeploy -- --stage dev and deploy again.'
  aws.denied.add('ExecuteChangeSet')
  const refused = await run('deploy', given)
  expect(refused.stdout + refused.stderr).toContain('not authorized to perform: cloudformation:ExecuteChange')
  expect(lastLine(refused.stderr)).toBe(`Stage dev is not deployed, for the reason above: ${deadEnd}`)
  expect(refused.code).toBe(1)

  aws.denied.clear()
  expect(await run('deploy', given)).toMatchObject({
    code: 1,
    stderr: `Stage dev is not deployed: ${deadEnd}\n`,
  })
  expect(await run('undeploy', ['--stage', 'dev'])).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('Stage dev is removed, and it has no table left.\n'),
  })
})
