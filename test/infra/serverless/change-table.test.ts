import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { connectTo } from '../../../infra/dynamodb/client.ts'
import { dropTable } from '../../../infra/resources/table.ts'
import { type FakeAws, startFakeAws } from './fake-aws/fake-aws.ts'
import { issuers } from './packaged.ts'
import { runCommand } from './run-command.ts'

/** In practice no limit: the framework's duration depends on the machine. */
const maxMs = 600_000
const run = randomUUID()
const [first, second] = [`change-table-first-${run}`, `change-table-second-${run}`]

let aws: FakeAws
beforeAll(async () => {
  aws = await startFakeAws(inject('dynamodbEndpoint'))
})
afterAll(async () => {
  aws.stop()
  const client = connectTo(inject('dynamodbEndpoint'))
  await Promise.all([dropTable(client, first), dropTable(client, second)])
  client.destroy()
})

const deploy = (tableName: string, ...options: string[]) =>
  runCommand('deploy', ['--param', `issuers=${issuers}`, '--param', `tableName=${tableName}`, ...options], {
    AWS_ENDPOINT_URL: aws.url,
  })

test('a deployed stage changes its table only with --change-table, and not to one that exists', {
  timeout: maxMs,
}, async () => {
  expect((await deploy(first)).code).toBe(0)

  const from = aws.calls.length
  const forgotten = await deploy(second)
  expect(forgotten.code).toBe(1)
  expect(forgotten.stderr).toMatch(
    new RegExp(`^Stage dev uses the table ${first}, [^\n]+ --change-table\\.\n$`),
  )
  expect(aws.calls.slice(from).map(({ action }) => action)).toEqual(['DescribeStacks', 'DescribeTable'])

  const { code, stdout, stderr } = await deploy(second, '--change-table')
  expect(code, stderr).toBe(0)
  expect(stdout).toContain(`TableName     ${second}\n`)

  const back = await deploy(first, '--change-table')
  expect(back.code).toBe(1)
  expect(back.stderr).toMatch(
    new RegExp(`^Stage dev uses the table ${second}, and ${first} exists [^\n]+\n$`),
  )
})
