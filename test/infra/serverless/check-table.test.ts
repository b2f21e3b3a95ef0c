import { randomUUID } from 'node:crypto'
import { CreateChangeSetCommand, ExecuteChangeSetCommand } from '@aws-sdk/client-cloudformation'
import { afterEach, beforeEach, describe, expect, inject, test, vi } from 'vitest'
import { connectTo } from '../../../infra/dynamodb/client.ts'
import { createTable, dropTable } from '../../../infra/resources/table.ts'
import { connectToAws } from '../../../infra/serverless/aws.ts'
import { checkTable } from '../../../infra/serverless/check-table.ts'
import { findStack, stackNameOf } from '../../../infra/serverless/stack.ts'
import { type FakeAws, startFakeAws } from './fake-aws/fake-aws.ts'

const place = { region: 'eu-central-1' }
let aws: FakeAws
let [running, other] = ['', '']

beforeEach(async () => {
  aws = await startFakeAws(inject('dynamodbEndpoint'))
  vi.stubEnv('AWS_ENDPOINT_URL', aws.url)
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'key')
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'secret')
  const run = randomUUID()
  ;[running, other] = [`check-table-running-${run}`, `check-table-other-${run}`]
})
afterEach(async () => {
  vi.unstubAllEnvs()
  aws.stop()
  const client = connectTo(inject('dynamodbEndpoint'))
  await Promise.all([dropTable(client, running), dropTable(client, other)])
  client.destroy()
})

/** A deployed stage `dev` with the template. */
async function deployed(template: object) {
  const { cloudFormation } = connectToAws(place)
  const change = { StackName: stackNameOf('dev'), ChangeSetName: 'first' }
  await cloudFormation.send(new CreateChangeSetCommand({ ...change, TemplateBody: JSON.stringify(template) }))
  await cloudFormation.send(new ExecuteChangeSetCommand(change))
}

/** Checks a deployment to `dev`. @returns the calls that it took besides finding the stack */
async function check(tableName: string, changeTable = false) {
  const stack = await findStack(place, 'dev')
  const from = aws.calls.length
  await checkTable(place, 'dev', stack, tableName, changeTable)
  return aws.calls.slice(from).map(({ action }) => action)
}

const table = () => ({ ProviderTable: { Type: 'AWS::DynamoDB::Table', Properties: { TableName: running } } })
const output = () => ({ TableName: { Value: running } })
const createOther = () => createTable(connectTo(inject('dynamodbEndpoint')), other)

describe.each([
  ['owns', () => ({ Resources: table(), Outputs: output() }), []],
  ['owns, without an output', () => ({ Resources: table() }), ['ListStackResources']],
  ['uses', () => ({ Resources: {}, Outputs: output() }), []],
])('the table that a stage %s', (_, template, reads) => {
  beforeEach(() => deployed(template()))

  test('is kept by a deployment with its name, which costs at most one read', async () => {
    expect(await check(running)).toEqual(reads)
    expect(await check(running, true)).toEqual(reads)
  })

  test('is not changed to a new one, unless the deployment is told to', async () => {
    await expect(check(other)).rejects.toThrow(
      `Stage dev uses the table ${running}, and this deployment would change it to ${other}, which is new and empty: keep it with --param tableName=${running}, or change it with --change-table.`,
    )
    expect(await check(other, true)).toEqual([...reads, 'DescribeTable'])
  })

  test.each([false, true])('is not changed to one that exists (--change-table: %s)', async changeTable => {
    await createOther()
    await expect(check(other, changeTable)).rejects.toThrow(
      `Stage dev uses the table ${running}, and ${other} exists without belonging to the stage: keep the first with --param tableName=${running}, or see "Change the table" in infra/README.md.`,
    )
  })
})

describe('a stage without a table', () => {
  test('gets a new one, which costs one read', async () => {
    expect(await check(other)).toEqual(['DescribeTable'])
  })

  test('gets one after a first deployment that failed', async () => {
    await deployed({ Resources: { ServerlessDeploymentBucket: { Type: 'AWS::S3::Bucket' } } })
    expect(await check(other)).toEqual(['ListStackResources', 'DescribeTable'])
  })

  test('gets none that exists', async () => {
    await createOther()
    await expect(check(other)).rejects.toThrow(
      `The table ${other} exists and does not belong to stage dev: delete it, import it into the stack, or choose another name with --param tableName=NAME.`,
    )
  })
})
