import { HttpResponse } from '@smithy/core/protocols'
import { describe, expect, test } from 'vitest'
import { checkTable } from '../../../infra/serverless/table-check.ts'
import type { Template } from '../../../infra/serverless/template.ts'

const KeySchema = [
  { AttributeName: 'PK', KeyType: 'HASH' },
  { AttributeName: 'SK', KeyType: 'RANGE' },
]
const ttl = { AttributeName: 'expires_at', TimeToLiveStatus: 'ENABLED' }
const enabling = { ...ttl, TimeToLiveStatus: 'ENABLING' }

/** The template of a stage whose stack creates its table, or of one that uses a table which exists. */
const creating = (TableName: string) => ({ Resources: { ProviderTable: { Properties: { TableName } } } })
const using = (Value: string) => ({ Resources: {}, Outputs: { TableName: { Value } } })

interface Account {
  /** The template of the stage's stack, or why CloudFormation does not give it. */
  running?: object | string
  tables?: Record<string, { TableStatus?: string; KeySchema?: object[]; ttl?: object }>
}

/** The configuration of clients for an account with this stack and these tables. */
function accountOf({ running = 'Stack prod does not exist', tables = {} }: Account) {
  const result = `<GetTemplateResult><TemplateBody>${JSON.stringify(running)}</TemplateBody></GetTemplateResult>`
  const error = `<Error><Code>ValidationError</Code><Message>${running}</Message></Error>`
  const answerOf = (target: string | undefined, body: string): [statusCode: number, text: string] => {
    if (target === undefined)
      return typeof running === 'string' ? [400, `<E>${error}</E>`] : [200, `<R>${result}</R>`]
    const table = tables[JSON.parse(body).TableName]
    if (table === undefined) return [400, '{"__type":"ResourceNotFoundException"}']
    const Table = { TableStatus: 'ACTIVE', KeySchema, ...table }
    const isDescribed = target.endsWith('.DescribeTable')
    return [200, JSON.stringify(isDescribed ? { Table } : { TimeToLiveDescription: table.ttl ?? ttl })]
  }
  const handle = async ({ body, headers }: { body: string; headers: Record<string, string> }) => {
    const [statusCode, text] = answerOf(headers['x-amz-target'], body)
    return { response: new HttpResponse({ statusCode, headers: {}, body: new Blob([text]).stream() }) }
  }
  const credentials = { accessKeyId: 'a', secretAccessKey: 'a' }
  return { region: 'eu-central-1', credentials, requestHandler: { handle }, maxAttempts: 1 }
}

const check = (template: Template, account: Account) =>
  checkTable({ stage: 'prod', stackName: 'stack', template, config: accountOf(account) as never })

describe('a deployment', () => {
  test.each<[what: string, template: Template, Account]>([
    ['that creates the table of a new stage', creating('a'), {}],
    ['that creates it in a stack with nothing but its bucket', creating('a'), { running: { Resources: {} } }],
    ['that keeps the table', creating('a'), { running: creating('a'), tables: { a: {} } }],
    ['of a new stage on a table that exists', using('a'), { tables: { a: {} } }],
    [
      'that switches to a table that exists',
      using('b'),
      { running: creating('a'), tables: { a: {}, b: {} } },
    ],
    ['whose TTL is being switched on', using('a'), { tables: { a: { ttl: enabling } } }],
    ['of something else', { Resources: {} }, { running: creating('a') }],
  ])('%s passes', async (_, template, account) => {
    await expect(check(template, account)).resolves.toBeUndefined()
  })

  const empties =
    'Stage prod uses the table a, and this deployment would give it the new, empty table b: keep tableName a, or name a table that exists and set createTable to false.'
  const exists =
    'The table a exists, and is not of the stack of stage prod: set createTable to false to use it, or choose another tableName.'

  test.each<[sentence: string, template: Template, Account]>([
    [empties, creating('b'), { running: creating('a'), tables: { a: {} } }],
    [empties, creating('b'), { running: using('a'), tables: { a: {}, b: {} } }],
    [exists, creating('a'), { tables: { a: {} } }],
    [exists, creating('a'), { running: using('a'), tables: { a: {} } }],
    [
      'There is no table b: correct tableName, or let createTable be true.',
      using('b'),
      { running: creating('a') },
    ],
    [
      'The table a has other keys than PK and SK: it is not one of this service.',
      using('a'),
      { tables: { a: { KeySchema: KeySchema.slice(0, 1) } } },
    ],
    [
      'The table a is not ready (CREATING): deploy when it is ACTIVE.',
      using('a'),
      { tables: { a: { TableStatus: 'CREATING' } } },
    ],
    ...[{}, { ...ttl, AttributeName: 'ttl' }, { ...ttl, TimeToLiveStatus: 'DISABLING' }].map(
      (other): [string, Template, Account] => [
        'The table a has no TTL on expires_at: switch it on as infra/operations.md says.',
        using('a'),
        { tables: { a: { ttl: other } } },
      ],
    ),
    ['may not ask', creating('a'), { running: 'may not ask' }],
  ])('is refused: %s', async (sentence, template, account) => {
    await expect(check(template, account)).rejects.toMatchObject({ message: sentence })
  })
})
