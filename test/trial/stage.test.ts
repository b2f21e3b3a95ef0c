import { randomInt } from 'node:crypto'
import { text } from 'node:stream/consumers'
import { DescribeTableCommand } from '@aws-sdk/client-dynamodb'
import { expect, inject, onTestFinished, test } from 'vitest'
import { connectTo, localAwsEnvironment } from '../../infra/dynamodb/client.ts'
import { createTable, dropTable } from '../../infra/resources/table.ts'
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

/** The lines that delete a table. */
const dropping = (TableName: string) => [
  `A=b aws dynamodb update-table --no-deletion-protection-enabled --region eu-west-9 --table-name ${TableName} > /dev/null`,
  `A=b aws dynamodb delete-table --region eu-west-9 --table-name ${TableName} > /dev/null`,
]

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
  const table = [`the table ${TableName}, which these delete:`, ...dropping(TableName)]
  expect(reasons.slice(-4, -1)).toEqual(table)
  expect(ifInterrupted.split('\n').slice(1)).toEqual([undeploy, ...dropping(TableName), `rm -r ${folder}`])
})

test('a stage is deleted once AWS has taken its failed deployment back', async () => {
  let deletions = 0
  const aws = await cloudFormation(action => {
    if (action === 'DescribeStackResource') return 'Resource a does not exist for stack a'
    if (action !== 'DeleteStack') return deletions < 2 ? 'It exists' : 'Stack with id a does not exist'
    deletions += 1
    return deletions < 2
      ? 'Stack [a] cannot be deleted while in status UPDATE_ROLLBACK_IN_PROGRESS'
      : undefined
  })
  expect(await stageAt(aws, engine()).remove()).toBe('It deleted all')
})
