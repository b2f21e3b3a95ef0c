import { HttpResponse } from '@smithy/core/protocols'
import type { Template } from '../../../../infra/serverless/template.ts'

interface Stack {
  status?: string
  outputs?: Record<string, string>
  /** In two pages; the status is CREATE_COMPLETE by default. */
  resources?: Resource[]
}

export type Resource = [logicalId: string, type: string, physicalId: string, status?: string | undefined]

export interface Account {
  /** The stack `stack`, or why CloudFormation does not describe it. */
  stack?: Stack | string
  /** What DescribeTable says of a table but what all have, and its TTL. */
  tables?: Record<string, { ttl?: object; [property: string]: unknown }>
  logGroups?: string[]
  /** The objects by bucket and key. */
  objects?: Record<string, object>
}

/** A stack that creates its table, and one that uses a table which exists. */
export const creating = (table: string, status?: string): Stack => ({
  outputs: { TableName: table },
  resources: [['ProviderTable', 'AWS::DynamoDB::Table', table, status]],
})
export const using = (table: string): Stack => ({ outputs: { TableName: table } })

/** The template of a stage whose stack creates its table, and of one that uses a table which exists. */
export const creatingTemplate = (TableName: string): Template => ({
  Resources: { ProviderTable: { Properties: { TableName } } },
})
export const usingTemplate = (table: string): Template => ({
  Resources: {},
  Outputs: { TableName: { Value: table } },
})

export const ttl = { AttributeName: 'expires_at', TimeToLiveStatus: 'ENABLED' }
export const attributes = (AttributeType: string) =>
  ['PK', 'SK'].map(AttributeName => ({ AttributeName, AttributeType }))
const usualTable = {
  TableStatus: 'ACTIVE',
  KeySchema: [
    { AttributeName: 'PK', KeyType: 'HASH' },
    { AttributeName: 'SK', KeyType: 'RANGE' },
  ],
  AttributeDefinitions: attributes('S'),
}

interface Sent {
  body?: string | Uint8Array
  path: string
  headers: Record<string, string>
}

/** The configuration of the SDK's clients for an account that has this, and answers as AWS does, or for no connection. */
export const configOf = (account: Account | 'ECONNREFUSED') =>
  ({
    region: 'eu-central-1',
    endpoint: 'https://127.0.0.1', // by its address, so that a bucket's name stands in the path
    credentials: { accessKeyId: 'a', secretAccessKey: 'a' },
    maxAttempts: 1,
    requestHandler: {
      async handle({ body, path, headers }: Sent) {
        if (account === 'ECONNREFUSED') throw Object.assign(new Error(''), { code: account })
        const text = typeof body === 'string' ? body : new TextDecoder().decode(body)
        const [statusCode, answer] = answerTo(account, headers['x-amz-target'] ?? path, text)
        return {
          response: new HttpResponse({ statusCode, headers: {}, body: new Blob([answer]).stream() }),
        }
      },
    },
  }) as never

type Answer = [statusCode: number, text: string]

/** @param asked the operation or, for CloudFormation and S3, the path */
function answerTo(account: Account, asked: string, text: string): Answer {
  if (asked.startsWith('DynamoDB')) return ofDynamoDb(account, asked, JSON.parse(text))
  if (asked.startsWith('Logs')) return ofLogs(account, JSON.parse(text))
  return asked === '/' ? ofCloudFormation(account, new URLSearchParams(text)) : ofS3(account, asked)
}

function ofDynamoDb({ tables = {} }: Account, asked: string, { TableName }: { TableName: string }): Answer {
  const { [TableName]: table } = tables
  if (table === undefined) return [400, '{"__type":"ResourceNotFoundException"}']
  const { ttl: TimeToLiveDescription = ttl, ...own } = table
  const described = asked.endsWith('.DescribeTable')
    ? { Table: { ...usualTable, ...own } }
    : { TimeToLiveDescription }
  return [200, JSON.stringify(described)]
}

function ofLogs({ logGroups = [] }: Account, { logGroupNamePrefix = '' }: Record<string, string>): Answer {
  const found = logGroups.filter(logGroupName => logGroupName.startsWith(logGroupNamePrefix)).sort()
  return [200, JSON.stringify({ logGroups: found.map(logGroupName => ({ logGroupName })) })]
}

function ofCloudFormation(account: Account, asked: URLSearchParams): Answer {
  const name = asked.get('StackName')
  const { stack = `Stack with id ${name} does not exist` } = name === 'stack' ? account : {}
  if (typeof stack === 'string')
    return [400, xml({ E: { Error: { Code: 'ValidationError', Message: stack } } })]
  const { status = 'UPDATE_COMPLETE', outputs = {}, resources = [] } = stack
  const answer = (result: object): Answer => [200, xml({ R: { [`${asked.get('Action')}Result`]: result } })]
  if (asked.get('Action') === 'DescribeStacks') {
    const Outputs = Object.entries(outputs).map(([OutputKey, OutputValue]) => ({ OutputKey, OutputValue }))
    const described = { StackName: 'stack', StackStatus: status, Outputs: members(Outputs) }
    return answer({ Stacks: members([described]) })
  }
  const isFirst = !asked.has('NextToken')
  const page = isFirst ? resources.slice(0, 1) : resources.slice(1)
  const summaries = page.map(
    ([LogicalResourceId, ResourceType, PhysicalResourceId, ResourceStatus = 'CREATE_COMPLETE']) => ({
      LogicalResourceId,
      ResourceType,
      PhysicalResourceId,
      ResourceStatus,
    }),
  )
  return answer({ StackResourceSummaries: members(summaries), ...(isFirst && { NextToken: 'more' }) })
}

function ofS3({ objects = {} }: Account, path: string): Answer {
  const { [decodeURIComponent(path).slice(1)]: found } = objects
  return found === undefined
    ? [404, xml({ Error: { Code: 'NoSuchKey', Message: 'no such key' } })]
    : [200, JSON.stringify(found)]
}

const members = (all: object[]) => all.map(member => ({ member }))

/** XML of elements without attributes; an array has elements of different names. */
const xml = (value: unknown): string => {
  if (Array.isArray(value)) return value.map(xml).join('')
  if (typeof value !== 'object' || value === null) return String(value)
  return Object.entries(value)
    .map(([name, inner]) => `<${name}>${xml(inner)}</${name}>`)
    .join('')
}
