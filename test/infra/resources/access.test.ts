import { describe, expect, test } from 'vitest'
import { everythingOn, type Packaged, type Properties, packagedOnce } from '../serverless/packaged.ts'

const deployment = packagedOnce('prod', everythingOn)
const ofType: Packaged['ofType'] = type => deployment.ofType(type)
const properties: Packaged['properties'] = type => deployment.properties(type)

describe('no role', () => {
  const statements = () =>
    properties('AWS::IAM::Role').flatMap(({ Policies }) =>
      Policies.flatMap((policy: Properties) => policy.PolicyDocument.Statement),
    )

  test('has a managed policy, or a wildcard as an action or, except for X-Ray, a resource', () => {
    const traces = statements().filter(({ Action }) => Action[0] === 'xray:PutTraceSegments')
    expect(traces).toEqual(
      properties('AWS::IAM::Role').map(() => ({
        Effect: 'Allow',
        Action: ['xray:PutTraceSegments', 'xray:PutTelemetryRecords'],
        Resource: '*', // AWS Service Authorization Reference: X-Ray's writing actions have no resource types
      })),
    )
    for (const { Action, Resource, Effect } of statements().filter(one => !traces.includes(one))) {
      expect(JSON.stringify([Action, Resource])).not.toContain('*')
      expect(Effect).toBe('Allow')
    }
    for (const role of properties('AWS::IAM::Role')) {
      expect(role).not.toHaveProperty('ManagedPolicyArns')
      expect(role.AssumeRolePolicyDocument.Statement).toEqual([
        { Effect: 'Allow', Principal: { Service: 'lambda.amazonaws.com' }, Action: 'sts:AssumeRole' },
      ])
    }
    const others = Object.values(deployment.resources).filter(({ Type }) =>
      /IAM::(?!Role$)|CustomResource|^Custom::/.test(Type),
    )
    expect(others).toEqual([])
  })

  test('accesses the table without a condition on its keys, or may scan, delete or write transactions', () => {
    const onTable = statements().filter(({ Action }) => JSON.stringify(Action).includes('dynamodb:'))
    expect(onTable).toHaveLength(8)
    for (const { Action, Condition, Resource } of onTable) {
      expect(Resource).toEqual({ 'Fn::GetAtt': ['ProviderTable', 'Arn'] })
      expect(JSON.stringify(Condition)).toMatch(
        /"dynamodb:LeadingKeys":\["(SAML_PROVIDERS|SAML_PROVIDER#\*|USER#\*)"\]/,
      )
      expect(JSON.stringify(Action)).not.toMatch(/Scan|Delete|Transact|Table|PartiQL(?!Update\b)/)
    }
  })

  test('of the listing function may write', () => {
    const [list] = properties('AWS::IAM::Role').filter(
      role => role.Policies[0].PolicyName === 'list-saml-providers',
    )
    expect(JSON.stringify(list)).not.toMatch(/dynamodb:\w*(Update|Write|Put)/)
  })
})

describe('public access', () => {
  test('is limited to the two routes; only a rule of the stack invokes the scheduled function', () => {
    for (const { AuthorizationType } of properties('AWS::ApiGateway::Method'))
      expect(AuthorizationType).toBe('NONE')
    expect(ofType('AWS::Lambda::Url')).toEqual([])
    const callers = properties('AWS::Lambda::Permission')
    const [schedule, ...routes] = callers.sort((one, other) => (one.Principal > other.Principal ? -1 : 1))
    expect(schedule).toMatchObject({
      Principal: 'events.amazonaws.com',
      SourceArn: { 'Fn::GetAtt': [expect.stringContaining('FinishRemovals'), 'Arn'] },
    })
    expect(routes).toHaveLength(2)
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
