import { randomInt } from 'node:crypto'
import { DescribeTableCommand } from '@aws-sdk/client-dynamodb'
import { expect, inject, onTestFinished, test } from 'vitest'
import { connectTo, localAwsEnvironment } from '../../../infra/dynamodb/client.ts'
import { createTable, dropTable } from '../../../infra/resources/table.ts'
import { serverOf } from '../../support/machine.ts'
import { openStage } from './stage.ts'

test('a stage names what it does not delete, such as a table that was there before', async () => {
  const expired =
    '<ErrorResponse><Error><Code>ExpiredToken</Code><Message>It is expired</Message></Error></ErrorResponse>'
  const AWS_ENDPOINT_URL = await serverOf((_, response) => void response.writeHead(403).end(expired))
  const connect = () => connectTo(inject('dynamodbEndpoint'))
  const client = connect()
  const name = `test-${randomInt(1e9)}`
  const TableName = `saml-providers-${name}`
  await createTable(client, TableName)
  onTestFinished(() => dropTable(client, TableName).finally(() => client.destroy()))

  const env = { ...localAwsEnvironment, AWS_ENDPOINT_URL, SLS_AWS_REQUEST_MAX_RETRIES: '0' }
  const stage = openStage(name, { kind: 'AWS', title: 'a region', connect, env, prefix: 'A=b' })
  onTestFinished(stage.close)
  const { message } = await stage.remove().then(
    () => new Error('It deleted all'),
    (error: Error) => error,
  )
  const [first, stack, ...reasons] = message.split('\n')
  expect(first).toBe('Not deleted in a region:')
  expect(stack).toBe(`the stack, which this deletes: A=b npm run undeploy -- --stage ${name}`)
  expect(reasons.join('\n')).toContain('It is expired')
  expect(reasons.at(-1)).toBe(`the table ${TableName}: it was there before`)
  await client.send(new DescribeTableCommand({ TableName }))
})
