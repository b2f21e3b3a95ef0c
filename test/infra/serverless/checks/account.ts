import { HttpResponse } from '@smithy/core/protocols'

const KeySchema = [
  { AttributeName: 'PK', KeyType: 'HASH' },
  { AttributeName: 'SK', KeyType: 'RANGE' },
]
const AttributeDefinitions = ['PK', 'SK'].map(AttributeName => ({ AttributeName, AttributeType: 'S' }))
export const ttl = { AttributeName: 'expires_at', TimeToLiveStatus: 'ENABLED' }

interface Table {
  TableStatus?: string
  KeySchema?: object[]
  AttributeDefinitions?: object[]
  ttl?: object
}

type Resource = [logicalId: string, type: string, physicalId: string, status?: string | undefined]

interface Stack {
  status?: string
  outputs?: Record<string, string>
  /** The resources in two pages: logical id, type, physical id, and the status, which is CREATE_COMPLETE by default. */
  resources?: Resource[]
}

export interface Account {
  /** The stack `stack`, or why CloudFormation does not describe it. */
  stack?: Stack | string
  tables?: Record<string, Table>
  logGroups?: string[]
  /** The objects by bucket and key. */
  objects?: Record<string, object>
}

/** A stack that creates its table, and one that uses a table which exists. */
export const creating = (table: string): Stack => ({
  outputs: { TableName: table },
  resources: [['ProviderTable', 'AWS::DynamoDB::Table', table]],
})
export const using = (table: string): Stack => ({ outputs: { TableName: table } })

export const logGroup = (name: string, status?: string): Resource => [
  name,
  'AWS::Logs::LogGroup',
  name,
  status,
]

type Answer = [statusCode: number, text: string]

/** The configuration of the SDK's clients for an account that has this, and answers as AWS does. */
export function configOf(account: Account) {
  const handle = async ({ body, path, headers }: Sent) => {
    const target = headers['x-amz-target']
    const text = typeof body === 'string' ? body : new TextDecoder().decode(body)
    const [statusCode, answer] = answerOf(account, { target, text, path })
    return { response: new HttpResponse({ statusCode, headers: {}, body: new Blob([answer]).stream() }) }
  }
  const credentials = { accessKeyId: 'a', secretAccessKey: 'a' }
  // By its address, so that a bucket's name stands in the path.
  const endpoint = 'https://127.0.0.1'
  return {
    region: 'eu-central-1',
    endpoint,
    credentials,
    requestHandler: { handle },
    maxAttempts: 1,
  } as never
}

interface Sent {
  body?: string | Uint8Array
  path: string
  headers: Record<string, string>
}

function answerOf(
  account: Account,
  { target, text, path }: { target: string | undefined; text: string; path: string },
): Answer {
  if (target?.startsWith('DynamoDB') === true) return ofDynamoDb(account, target, JSON.parse(text))
  if (target?.startsWith('Logs') === true) return ofLogs(account, JSON.parse(text))
  return path === '/' ? ofCloudFormation(account, new URLSearchParams(text)) : ofS3(account, path)
}

function ofDynamoDb({ tables = {} }: Account, target: string, { TableName }: { TableName: string }): Answer {
  const { [TableName]: table } = tables
  if (table === undefined) return [400, '{"__type":"ResourceNotFoundException"}']
  const { ttl: TimeToLiveDescription = ttl, ...own } = table
  const Table = { TableStatus: 'ACTIVE', KeySchema, AttributeDefinitions, ...own }
  return [200, JSON.stringify(target.endsWith('.DescribeTable') ? { Table } : { TimeToLiveDescription })]
}

function ofLogs({ logGroups = [] }: Account, { logGroupNamePrefix: prefix }: Record<string, string>): Answer {
  const found = logGroups.filter(logGroupName => logGroupName.startsWith(`${prefix}`)).sort()
  return [200, JSON.stringify({ logGroups: found.map(logGroupName => ({ logGroupName })) })]
}

function ofCloudFormation({ stack }: Account, asked: URLSearchParams): Answer {
  const name = asked.get('StackName')
  if (stack === undefined || typeof stack === 'string' || name !== 'stack') {
    const message = stack === undefined || name !== 'stack' ? `Stack with id ${name} does not exist` : stack
    return [400, xml({ E: { Error: { Code: 'ValidationError', Message: message } } })]
  }
  const { status = 'UPDATE_COMPLETE', outputs = {}, resources = [] } = stack
  if (asked.get('Action') === 'DescribeStacks') {
    const Outputs = Object.entries(outputs).map(([OutputKey, OutputValue]) => ({ OutputKey, OutputValue }))
    const described = { StackName: name, StackStatus: status, Outputs: members(Outputs) }
    return [200, xml({ R: { DescribeStacksResult: { Stacks: members([described]) } } })]
  }
  const next = asked.get('NextToken')
  const page = next === null ? resources.slice(0, 1) : resources.slice(1)
  const summaries = page.map(([LogicalResourceId, ResourceType, PhysicalResourceId, ResourceStatus]) => ({
    ...{ LogicalResourceId, ResourceType, PhysicalResourceId },
    ResourceStatus: ResourceStatus ?? 'CREATE_COMPLETE',
  }))
  const result = { StackResourceSummaries: members(summaries), ...(next === null && { NextToken: 'more' }) }
  return [200, xml({ R: { ListStackResourcesResult: result } })]
}

function ofS3({ objects = {} }: Account, path: string): Answer {
  const { [path.replace(/^\//, '')]: found } = objects
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
