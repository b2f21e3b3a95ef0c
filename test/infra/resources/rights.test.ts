import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { projectRoot } from '../../../infra/project-root.ts'
import { endpoints } from '../../../infra/serverless/service-definition.ts'
import { explore, type Schedule } from '../../removal/explorer.ts'
import { scenarioFactory } from '../../removal/scenario.ts'
import type { Call } from '../../support/test-client.ts'
import { everythingOn, packagedOnce, type Properties } from '../serverless/packaged.ts'

const makeScenario = scenarioFactory(2)
const deployment = packagedOnce('prod', everythingOn)
const { ofType, properties } = deployment

/** The rights of each function's role beside those on its log: what it may do on which keys of the table. */
const rights: [name: string, ...onKeys: string[]][] = [
  ['ListSamlProviders', 'GetItem, Query on SAML_PROVIDERS', 'GetItem on USER#*'],
  [
    'DeleteSamlProvider',
    'GetItem on SAML_PROVIDERS',
    'Query on SAML_PROVIDER#*',
    'BatchGetItem on SAML_PROVIDER#*, USER#*',
    'ConditionCheckItem, UpdateItem on SAML_PROVIDER#*, USER#*, SAML_PROVIDERS',
    'GetItem on USER#*',
  ],
  [
    'FinishRemovals',
    'Query on SAML_PROVIDERS',
    'Query on SAML_PROVIDER#*',
    'BatchGetItem on SAML_PROVIDER#*, USER#*',
    'ConditionCheckItem, UpdateItem on SAML_PROVIDER#*, USER#*, SAML_PROVIDERS',
  ],
]

test('each function has a role of its own', () => {
  const functions = Object.entries(deployment.resources).filter(([id]) => id.endsWith('LambdaFunction'))
  const roles = functions.map(([id, { Properties }]) => [
    id.replace('LambdaFunction', ''),
    Properties.Role['Fn::Sub'],
  ])
  const wanted = rights.map(([name]) => [name, `\${${name}Role.Arn}`])
  expect(roles, 'name the role in serverless.yml, and list its rights here').toEqual(wanted)
  expect(properties('AWS::IAM::Role'), 'add the role to infra/resources/roles.yml').toHaveLength(roles.length)
})

test.each(rights)('the role of %s has exactly the rights that are listed here', (name, ...onKeys) => {
  const policies: Properties[] = deployment.resources[`${name}Role`]?.Properties.Policies
  expect(policies, `give ${name}Role one policy in infra/resources/roles.yml`).toHaveLength(1)
  const statements: Properties[] = policies[0]?.PolicyDocument.Statement
  const onTable = onKeys.map(text =>
    text.replace(/\w+(?=,| on)/g, 'dynamodb:$&').replace(' on ', ' on the table where '),
  )
  expect(statements.map(inShort)).toEqual([
    `logs:CreateLogStream, logs:PutLogEvents on ${name}LogGroup`,
    ...onTable,
  ])
  for (const { Effect } of statements) expect(Effect).toBe('Allow')
})

test('no role has a policy beside its own', () => {
  for (const role of properties('AWS::IAM::Role')) expect(role).not.toHaveProperty('ManagedPolicyArns')
  const types = Object.values(deployment.resources).map(({ Type }) => Type)
  expect(types.filter(type => /IAM::(?!Role$)|CustomResource|^Custom::/.test(type))).toEqual([])
})

test('only Lambda assumes a role', () => {
  const Principal = { Service: 'lambda.amazonaws.com' }
  for (const { AssumeRolePolicyDocument } of properties('AWS::IAM::Role'))
    expect(AssumeRolePolicyDocument.Statement).toEqual([
      { Effect: 'Allow', Principal, Action: 'sts:AssumeRole' },
    ])
})

// biome-ignore lint/suspicious/noTemplateCurlyInString: CloudFormation replaces them
const table = 'arn:${AWS::Partition}:dynamodb:${AWS::Region}:${AWS::AccountId}:table/saml-providers-prod'

/** Such as `dynamodb:Query on the table where SAML_PROVIDERS`. */
function inShort({ Action, Resource, Condition }: Properties): string {
  const actions = [Action].flat().sort().join(', ')
  if (Resource['Fn::Sub'] !== table) return `${actions} on ${Resource['Fn::GetAtt']?.[0] ?? Resource}`
  const keys = keysOf(Condition)
  const operator = `ForAllValues:String${keys.some(key => key.includes('*')) ? 'Like' : 'Equals'}`
  // Without `Null`, a request without keys would be allowed.
  expect(Condition, actions).toEqual({
    [operator]: { 'dynamodb:LeadingKeys': keys },
    Null: { 'dynamodb:LeadingKeys': 'false' },
  })
  return `${actions} on the table where ${keys.join(', ')}`
}

/** The keys, and beginnings of keys, to which a statement is limited. */
const keysOf = ({ Null, ...limits }: Properties): string[] =>
  Object.values(limits).flatMap(limit => limit['dynamodb:LeadingKeys'])

test('packages are private', () => {
  const [{ PublicAccessBlockConfiguration }] = properties('AWS::S3::Bucket') as [Properties]
  expect(Object.values(PublicAccessBlockConfiguration)).toEqual([true, true, true, true])
})

test('only the routes and a rule of the stack invoke a function', () => {
  for (const { AuthorizationType } of properties('AWS::ApiGateway::Method'))
    expect(AuthorizationType).toBe('NONE')
  expect(ofType('AWS::Lambda::Url')).toEqual([])
  const callers = properties('AWS::Lambda::Permission')
  const [schedule, ...routes] = callers.sort((left, right) => (left.Principal > right.Principal ? -1 : 1))
  expect(schedule).toMatchObject({
    Principal: 'events.amazonaws.com',
    SourceArn: { 'Fn::GetAtt': [expect.stringContaining('FinishRemovals'), 'Arn'] },
  })
  expect(routes.map(({ Principal }) => Principal)).toEqual(endpoints.map(() => 'apigateway.amazonaws.com'))
  for (const { SourceArn } of routes)
    expect(JSON.stringify(SourceArn)).toContain('{"Ref":"ApiGatewayRestApi"}')
})

test.each([
  ['CloudWatch::Alarm', 'AlarmName', 'cloudwatch:REGION:ACCOUNT:alarm:'],
  ['DynamoDB::Table', 'TableName', 'dynamodb:REGION:ACCOUNT:table/'],
  ['Events::Rule', 'Name', 'events:REGION:ACCOUNT:rule/'],
  ['IAM::Role', 'Path', 'iam::ACCOUNT:role'],
  ['Lambda::Function', 'FunctionName', 'lambda:REGION:ACCOUNT:function:'],
  ['Logs::LogGroup', 'LogGroupName', 'logs:REGION:ACCOUNT:log-group:'],
])('the deployer may make each AWS::%s by its %s', (type, name, arn) => {
  const policy = readFileSync(join(projectRoot, 'infra/deployer-policy.json'), 'utf8')
  const [{ Action, Resource }] = JSON.parse(policy).Statement
  expect(Action).toContain(`${arn.split(':')[0]}:*`)
  const isAllowed = new RegExp(`^(${Resource.join('|').replaceAll('*', '.*')})$`)
  for (const properties of deployment.properties(`AWS::${type}`))
    expect(`arn:aws:${arn}${properties[name]}`).toMatch(isAllowed)
})

/** The action and the partition keys of each item of a call, as IAM sees them. */
function accesses({ operation, body }: Call): [action: string, key: string][] {
  const { Key, ExpressionAttributeValues, RequestItems = {}, TransactItems } = body as Properties
  if (TransactItems)
    return TransactItems.flatMap((entry: Properties) =>
      Object.entries<Properties>(entry).map(([kind, action]) => [`dynamodb:${kind}Item`, action.Key.PK.S]),
    )
  const [batch] = Object.values<Properties>(RequestItems)
  const keys: Properties[] = batch?.Keys.map(({ PK }: Properties) => PK) ?? [
    Key?.PK ?? ExpressionAttributeValues[':partition'],
  ]
  return keys.map(({ S }) => [`dynamodb:${operation}`, S])
}

/** Whether a role allows an action on the items of a partition key. */
const isAllowed = (role: string, action: string, key: string) =>
  statementsOf(role).some(({ Action, Condition = {} }) => {
    const matches = (pattern: string) =>
      pattern.endsWith('*') ? key.startsWith(pattern.slice(0, -1)) : key === pattern
    return [Action].flat().includes(action) && keysOf(Condition).some(matches)
  })

const statementsOf = (role: string): Properties[] =>
  deployment.resources[role]?.Properties.Policies[0].PolicyDocument.Statement

// No emulator enforces roles: without a right, everything works everywhere but on AWS.
const run = { by: 'the scheduled function' } as const
test.each<[string, Schedule]>([
  ['that is answered twice', { processes: [['link', 'move', {}, {}]], lateMs: 250 }],
  [
    'that is abandoned and finished on a schedule',
    { processes: [[{ fates: [['crashes before it', 6]] }, run, {}]] },
  ],
])('each call of a removal %s is allowed by the role of its function', async (_, schedule) => {
  const refused = new Set<string>()
  let calls = 0
  const onCall: Schedule['onCall'] = (call, by) => {
    calls += 1
    const role = by === undefined ? 'DeleteSamlProviderRole' : 'FinishRemovalsRole'
    for (const [action, key] of accesses(call))
      if (!isAllowed(role, action, key)) refused.add(`${role}: ${action} on ${key}`)
  }
  const { broken } = await explore(await makeScenario(4), { ...schedule, onCall })
  expect([broken, [...refused]]).toEqual([[], []])
  expect(calls).toBeGreaterThan(10)
})
