import { randomInt } from 'node:crypto'
import { text } from 'node:stream/consumers'
import { DescribeTableCommand } from '@aws-sdk/client-dynamodb'
import { expect, inject, onTestFinished, test } from 'vitest'
import { connectTo, localAwsEnvironment } from '../../infra/dynamodb/client.ts'
import { createTable, dropTable } from '../../infra/resources/table.ts'
import { systemClock } from '../../lib/time.ts'
import { serverOf } from '../support/machine.ts'
import { openStage } from './stage.ts'

/** A stand-in of CloudFormation: answers each action with an error of this message, or as done. @returns its URL */
const cloudFormation = (faultOf: (action: string) => string | undefined) =>
  serverOf(async (request, response) => {
    const [, action = ''] = /Action=(\w+)/.exec(await text(request)) ?? []
    const message = faultOf(action)
    if (message === undefined) return void response.end(`<${action}Response/>`)
    const error = `<Error><Code>ValidationError</Code><Message>${message}</Message></Error>`
    response.writeHead(400).end(`<ErrorResponse>${error}</ErrorResponse>`)
  })

const engine = () => inject('dynamodbEndpoint')

/** A stage that does not exist, with these endpoints. */
function stageAt(AWS_ENDPOINT_URL: string, dynamodb: string, name = `test-${randomInt(1e9)}`) {
  const quickly = { SLS_AWS_REQUEST_MAX_RETRIES: '0', SLS_AWS_MONITORING_FREQUENCY: '20' }
  const env = { ...localAwsEnvironment, ...quickly, AWS_ENDPOINT_URL }
  const place = { title: 'a region', region: 'eu-west-9', connect: () => connectTo(dynamodb), env }
  const stage = openStage(name, { kind: 'AWS', prefix: 'A=b', ...place })
  onTestFinished(stage.close)
  const remove = () =>
    stage.remove().then(
      () => 'It deleted all',
      ({ message }: Error) => message,
    )
  return { ...stage, remove, undeploy: `A=b npm run undeploy -- --stage ${name}` }
}

/** The line that deletes a table. */
function dropping(TableName: string) {
  const options = `--region eu-west-9 --table-name ${TableName} > /dev/null`
  const commands = ['update-table --no-deletion-protection-enabled', 'wait table-exists', 'delete-table']
  return commands.map(command => `A=b aws dynamodb ${command} ${options}`).join(' && ')
}

test('a stage does not delete a table that was there before, and names it', async () => {
  const client = connectTo(engine())
  const name = `test-${randomInt(1e9)}`
  const TableName = `saml-providers-${name}`
  await createTable(client, TableName)
  onTestFinished(() => dropTable(client, TableName).finally(() => client.destroy()))
  const { remove } = stageAt(await cloudFormation(() => 'Stack with id a does not exist'), engine(), name)
  expect((await remove()).split('\n')).toEqual([
    'Not deleted in a region:',
    `the table ${TableName}: it was there before`,
  ])
  await client.send(new DescribeTableCommand({ TableName }))
})

test('a stage names what it cannot delete, with lines that delete it', async () => {
  const dynamodb = await serverOf((_, response) => void response.writeHead(400).end('{"__type":"Expired"}'))
  const { remove, undeploy, TableName, ifInterrupted, folder } = stageAt(
    await cloudFormation(() => 'It is expired'),
    dynamodb,
  )
  const [first, stack, ...reasons] = (await remove()).split('\n')
  expect([first, stack]).toEqual(['Not deleted in a region:', `the stack, which this deletes: ${undeploy}`])
  expect(reasons.join('\n')).toContain('It is expired')
  expect(reasons.at(-2)).toBe(`the table ${TableName}, which this deletes: ${dropping(TableName)}`)
  expect(ifInterrupted.split('\n').slice(1)).toEqual([undeploy, dropping(TableName), `rm -r ${folder}`])
})

test('a stage is deleted once AWS has taken its failed deployment back, and its table once it is updated', async () => {
  let deletions = 0
  const aws = await cloudFormation(action => {
    if (action === 'DescribeStackResource') return 'Resource a does not exist for stack a'
    if (action !== 'DeleteStack') return deletions < 2 ? 'It exists' : 'Stack with id a does not exist'
    deletions += 1
    return deletions < 2
      ? 'Stack [a] cannot be deleted while in status UPDATE_ROLLBACK_IN_PROGRESS'
      : undefined
  })
  const calls: string[] = []
  const dynamodb = await serverOf(async (request, response) => {
    const action = String(request.headers['x-amz-target']).replace(/.*\./, '')
    const count = calls.push(action)
    const refuse = (type: string) => void response.writeHead(400).end(`{"__type":"x#${type}"}`)
    if (count === 2 || count === 4) return refuse('ResourceInUseException')
    if (action === 'DescribeTable' && count > 1) return refuse('ResourceNotFoundException')
    response.end(JSON.stringify({ Table: { CreationDateTime: systemClock.nowMs() / 1000 + 1 } }))
  })
  expect(await stageAt(aws, dynamodb).remove()).toBe('It deleted all')
  const changes = ['UpdateTable', 'UpdateTable', 'DeleteTable', 'DeleteTable']
  expect(calls).toEqual(['DescribeTable', ...changes, 'DescribeTable'])
})
