import { describe, expect, test } from 'vitest'
import { endpoints } from '../../../infra/serverless/service-definition.ts'
import {
  buffered,
  everythingOn,
  type Packaged,
  type Properties,
  packagedOnce,
} from '../serverless/packaged.ts'

const deployment = packagedOnce('prod', everythingOn)
const { ofType, properties } = deployment

const untraced = packagedOnce('dev', buffered)

describe('each role', () => {
  const rights: [id: string, ...onKeys: string[]][] = [
    ['ListSamlProviders', 'GetItem, Query on SAML_PROVIDERS', 'GetItem on USER#*'],
    [
      'DeleteSamlProvider',
      'GetItem, UpdateItem on SAML_PROVIDERS',
      'PartiQLUpdate, Query on SAML_PROVIDER#*',
      'BatchGetItem, GetItem, PartiQLUpdate on USER#*',
    ],
    [
      'FinishRemovals',
      'GetItem, Query, UpdateItem on SAML_PROVIDERS',
      'PartiQLUpdate, Query on SAML_PROVIDER#*',
      'BatchGetItem, PartiQLUpdate on USER#*',
    ],
  ]

  test('is listed here with its rights', () => {
    const roles = Object.entries(deployment.resources).filter(([, { Type }]) => Type === 'AWS::IAM::Role')
    expect(
      rights.map(([id]) => `${id}Role`),
      'list the rights of the new role',
    ).toEqual(expect.arrayContaining(roles.map(([id]) => id)))
  })

  test.each(rights)('of %s allows exactly its actions, on its keys of the table', (id, ...onKeys) => {
    const policies: Properties[] = deployment.resources[`${id}Role`]?.Properties.Policies
    expect(policies).toHaveLength(1)
    const statements: Properties[] = policies[0]?.PolicyDocument.Statement
    const onTable = onKeys.map(text =>
      text.replace(/\w+(?=,| on)/g, 'dynamodb:$&').replace(' on ', ' on the table where '),
    )
    expect(statements.map(inShort)).toEqual([
      `logs:CreateLogStream, logs:PutLogEvents on ${id}LogGroup`,
      ...onTable,
    ])
    for (const { Effect } of statements) expect(Effect).toBe('Allow')
  })

  test('is assumed by Lambda only, and has no managed policy', () => {
    for (const role of properties('AWS::IAM::Role')) {
      expect(role).not.toHaveProperty('ManagedPolicyArns')
      expect(role.AssumeRolePolicyDocument.Statement).toEqual([
        { Effect: 'Allow', Principal: { Service: 'lambda.amazonaws.com' }, Action: 'sts:AssumeRole' },
      ])
    }
  })

  test('may send traces where tracing is on; there are no other policies', () => {
    const others = ({ resources }: Packaged) =>
      Object.entries(resources).filter(([, { Type }]) => /IAM::(?!Role$)|CustomResource|^Custom::/.test(Type))
    expect(others(untraced)).toEqual([])
    const [[id, policy] = [], ...more] = others(deployment)
    expect([id, policy?.Type, more]).toEqual(['TracingPolicy', 'AWS::IAM::Policy', []])
    const { PolicyDocument, Roles } = policy?.Properties ?? {}
    expect(new Set(Roles)).toEqual(new Set(rights.map(([name]) => ({ Ref: `${name}Role` }))))
    expect(PolicyDocument.Statement.map(inShort)).toEqual([
      'xray:PutTelemetryRecords, xray:PutTraceSegments on *',
    ])
  })
})

// biome-ignore lint/suspicious/noTemplateCurlyInString: CloudFormation replaces them
const table = 'arn:${AWS::Partition}:dynamodb:${AWS::Region}:${AWS::AccountId}:table/saml-providers-prod'

/** Such as `dynamodb:Query on the table where SAML_PROVIDERS`. */
function inShort({ Action, Resource, Condition = {} }: Properties): string {
  const on = Resource['Fn::Sub'] === table ? 'the table' : (Resource['Fn::GetAtt']?.[0] ?? Resource)
  const where = Object.entries<Properties>(Condition).map(([operator, { 'dynamodb:LeadingKeys': keys }]) => {
    expect(operator).toBe(`ForAllValues:String${String(keys).includes('*') ? 'Like' : 'Equals'}`)
    return ` where ${keys.join(', ')}`
  })
  return `${[Action].flat().sort().join(', ')} on ${on}${where.join('')}`
}

describe('public access', () => {
  test('is limited to the routes; only a rule of the stack invokes the scheduled function', () => {
    for (const { AuthorizationType } of properties('AWS::ApiGateway::Method'))
      expect(AuthorizationType).toBe('NONE')
    expect(ofType('AWS::Lambda::Url')).toEqual([])
    const callers = properties('AWS::Lambda::Permission')
    const [schedule, ...routes] = callers.sort((one, other) => (one.Principal > other.Principal ? -1 : 1))
    expect(schedule).toMatchObject({
      Principal: 'events.amazonaws.com',
      SourceArn: { 'Fn::GetAtt': [expect.stringContaining('FinishRemovals'), 'Arn'] },
    })
    expect(routes).toHaveLength(endpoints.length)
    for (const { Principal, SourceArn } of routes) {
      expect(Principal).toBe('apigateway.amazonaws.com')
      expect(JSON.stringify(SourceArn)).toContain('{"Ref":"ApiGatewayRestApi"}')
    }
  })

  test('to the bucket of the packages is blocked', () => {
    const [{ PublicAccessBlockConfiguration, BucketEncryption }] = properties('AWS::S3::Bucket') as [
      Properties,
    ]
    expect(Object.values(PublicAccessBlockConfiguration)).toEqual([true, true, true, true])
    expect(BucketEncryption).toBeDefined()
    for (const { PolicyDocument } of properties('AWS::S3::BucketPolicy'))
      for (const { Effect } of PolicyDocument.Statement) expect(Effect).toBe('Deny')
  })
})
