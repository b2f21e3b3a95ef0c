import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { withOverlay } from '../../../infra/serverless/overlay.ts'
import { readState } from '../../../infra/serverless/template.ts'
import { packagedOnce } from './packaged.ts'

const deployment = packagedOnce('example-company')
const { properties } = deployment
const key = 'arn:aws:kms:eu-central-1:123456789012:key/11111111-2222-3333-4444-555555555555'

describe("the example of a company's stage gives", () => {
  test('each role a path, a permissions boundary and a managed policy, and leaves it its rights', () => {
    const role = {
      Path: '/example-company/saml/',
      PermissionsBoundary: 'arn:aws:iam::123456789012:policy/boundary',
      ManagedPolicyArns: ['arn:aws:iam::aws:policy/service-role/AWSLambdaVPCAccessExecutionRole'],
      Policies: [{ PolicyDocument: expect.anything() }],
    }
    expect(properties('AWS::IAM::Role')).toMatchObject([role, role, role])
  })

  test('the stack a tag beside those of the service', () => {
    expect(readState(deployment.folder).service.provider.stackTags).toEqual({
      service: 'deprecated-saml-endpoints',
      stage: 'example-company',
      'cost-centre': '4711',
    })
  })

  test('functions, logs and table a key, and the functions a VPC', () => {
    const one = { KmsKeyArn: key, VpcConfig: { SubnetIds: [expect.any(String), expect.any(String)] } }
    expect(properties('AWS::Lambda::Function')).toMatchObject([one, one, one])
    for (const { KmsKeyId } of properties('AWS::Logs::LogGroup')) expect(KmsKeyId).toBe(key)
    expect(properties('AWS::DynamoDB::Table')).toMatchObject([{ SSESpecification: { KMSMasterKeyId: key } }])
  })

  test('the packages a bucket that does not belong to the stack', () => {
    expect(properties('AWS::S3::Bucket')).toEqual([])
    expect(deployment.outputs.ServerlessDeploymentBucketName?.Value).toBe('example-company-packages')
    for (const { Code } of properties('AWS::Lambda::Function'))
      expect(Code.S3Bucket).toBe('example-company-packages')
  })

  test('the API no address of its own, and the stack no outputs with that address', () => {
    expect(properties('AWS::ApiGateway::RestApi')).toMatchObject([{ DisableExecuteApiEndpoint: true }])
    expect(deployment.outputs).not.toHaveProperty('ListUrl')
    expect(deployment.outputs).not.toHaveProperty('DeleteUrl')
  })
})

test("an overlay joins maps, replaces other values, keeps CloudFormation's short forms, and comes last", () => {
  const merged = withOverlay(
    'provider: { name: aws, vpc: { ids: [1, 2] }, role: a }\nresources: [{ Resources: {} }]',
    'provider: { vpc: { ids: [3], more: !Sub b }, role: { c: d } }\nresources: { Outputs: { e: !Ref f } }',
  )
  expect(merged).toContain('!Sub b')
  expect(merged).toContain('!Ref f')
  expect(parse(merged, { logLevel: 'error' })).toEqual({
    provider: { name: 'aws', vpc: { ids: [3], more: 'b' }, role: { c: 'd' } },
    resources: [{ Resources: {} }, { Outputs: { e: 'f' } }],
  })
})
