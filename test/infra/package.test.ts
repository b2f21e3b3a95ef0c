import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

const run = promisify(execFile)
const root = join(import.meta.dirname, '..', '..')
const folder = mkdtempSync(join(tmpdir(), 'package-'))
const issuers =
  '[{"issuer":"https://login.example.com","audience":"a","jwksUri":"https://login.example.com/keys"}]'

const packageIt = (...options: string[]) =>
  run(process.execPath, [join(root, 'infra/deploy.ts'), 'package', '--package', folder, ...options], {
    cwd: root,
  })

// biome-ignore lint/suspicious/noExplicitAny: a template has no type, and what is missing fails the test
type Properties = Record<string, any>
interface Resource {
  Type: string
  Properties: Properties
  DeletionPolicy?: string
  UpdateReplacePolicy?: string
  DependsOn?: string[]
}
let resources: Record<string, Resource> = {}
let outputs: Record<string, unknown> = {}
let said = ''

const ofType = (type: string) => Object.values(resources).filter(resource => resource.Type === type)
const properties = (type: string) => ofType(type).map(resource => resource.Properties)

beforeAll(async () => {
  const { stdout, stderr } = await packageIt(
    ...['--stage', 'prod', '--param', `issuers=${issuers}`, '--param', 'sunsetAt=2027-06-30T00:00:00Z'],
    ...['--param', "documentationUrl=https://docs.example.com/what's-new"],
  )
  said = stdout + stderr
  const template = JSON.parse(readFileSync(join(folder, 'cloudformation-template-update-stack.json'), 'utf8'))
  resources = template.Resources
  outputs = template.Outputs
})
afterAll(() => rmSync(folder, { recursive: true }))

describe('the package', () => {
  test('is made without an account, and without a warning', () => {
    expect(said).toContain('Service packaged')
    expect(said).not.toMatch(/warn|deprecat(ed|ion) /i)
  })

  test('holds one zip without source maps or sources', () => {
    const names = namesInZip(readFileSync(join(folder, 'deprecated-saml-endpoints.zip')))
    expect(names.filter(name => !/^\.build\/functions\/(chunks\/)?[\w-]+\.mjs$/.test(name))).toEqual([])
    expect(names).toContain('.build/functions/list-saml-providers.mjs')
    expect(names).toContain('.build/functions/delete-saml-provider.mjs')
  })

  test('outputs the URLs and the table', () => {
    expect(Object.keys(outputs)).toEqual(expect.arrayContaining(['TableName', 'ListUrl', 'DeleteUrl']))
  })
})

describe('the API', () => {
  test('is a regional REST API that hands base64 bodies out as bytes', () => {
    expect(properties('AWS::ApiGateway::RestApi')).toMatchObject([
      { EndpointConfiguration: { Types: ['REGIONAL'] }, BinaryMediaTypes: ['*/*'] },
    ])
  })

  test('has the two routes and no other', () => {
    const pathOf = (id: string): string => {
      const { ParentId, PathPart } = resources[id]?.Properties ?? {}
      return `${ParentId.Ref === undefined ? '' : pathOf(ParentId.Ref)}/${PathPart}`
    }
    const routes = properties('AWS::ApiGateway::Method').map(
      ({ HttpMethod, ResourceId }) => `${HttpMethod} ${pathOf(ResourceId.Ref)}`,
    )
    expect(routes.sort()).toEqual(['DELETE /api/v2/saml/providers/{saml_provider_id}', 'GET /api/v2/saml'])
  })

  test('is deployed after its own answers exist', () => {
    const answers = Object.keys(resources).filter(
      id => resources[id]?.Type === 'AWS::ApiGateway::GatewayResponse',
    )
    expect(answers.length).toBeGreaterThan(0)
    for (const method of ofType('AWS::ApiGateway::Method'))
      expect(method.DependsOn).toEqual(expect.arrayContaining(answers))
  })

  test('gives answers whose body says its status and whose headers are those of every error', () => {
    const answers = properties('AWS::ApiGateway::GatewayResponse')
    expect(answers.map(({ ResponseType }) => ResponseType)).toEqual(
      expect.arrayContaining(['MISSING_AUTHENTICATION_TOKEN', 'DEFAULT_4XX', 'DEFAULT_5XX', 'THROTTLED']),
    )
    for (const { StatusCode, ResponseTemplates, ResponseParameters } of answers) {
      const problem = JSON.parse(ResponseTemplates['application/json'])
      expect(Object.keys(problem)).toEqual(['type', 'title', 'status', 'detail', 'code', 'request_id'])
      expect(String(problem.status)).toBe(StatusCode)
      expect(ResponseParameters).toMatchObject({
        'gatewayresponse.header.Content-Type': "'application/problem+json'",
        'gatewayresponse.header.X-Request-Id': 'context.requestId',
        'gatewayresponse.header.Sunset': "'Wed, 30 Jun 2027 00:00:00 GMT'",
        'gatewayresponse.header.Link': expect.stringContaining('https://docs.example.com/what%27s-new'),
      })
    }
  })
})

describe('each function', () => {
  test('runs on Node 24 and arm64 with 1,024 MB, and its settings are plain text', () => {
    const functions = properties('AWS::Lambda::Function')
    expect(functions).toHaveLength(2)
    for (const one of functions) {
      expect(one).toMatchObject({ Runtime: 'nodejs24.x', Architectures: ['arm64'], MemorySize: 1024 })
      for (const value of Object.values(one.Environment.Variables)) expect(value).toBeTypeOf('string')
    }
  })

  test('has more time than the cap, and the gateway waits as long', () => {
    for (const { Timeout, Environment } of properties('AWS::Lambda::Function')) {
      expect(Timeout).toBe(Number(Environment.Variables.MAX_WAIT_SECONDS) + 1)
      for (const { Integration } of properties('AWS::ApiGateway::Method'))
        expect(Integration.TimeoutInMillis).toBe(Timeout * 1000)
    }
  })

  test('has a role of its own, and a log that does not grow for ever', () => {
    const roles = properties('AWS::Lambda::Function').map(({ Role }) => Role['Fn::GetAtt'][0])
    expect(new Set(roles).size).toBe(2)
    expect(properties('AWS::IAM::Role')).toHaveLength(2)
    expect(properties('AWS::Logs::LogGroup').map(({ RetentionInDays }) => RetentionInDays)).toEqual([
      365, 365,
    ])
  })
})

describe('no role', () => {
  const statements = () =>
    properties('AWS::IAM::Role').flatMap(({ Policies }) =>
      Policies.flatMap((policy: Properties) => policy.PolicyDocument.Statement),
    )

  test('names a wildcard as an action or a resource, or attaches a managed policy', () => {
    for (const { Action, Resource, Effect } of statements()) {
      expect(JSON.stringify([Action, Resource])).not.toContain('*')
      expect(Effect).toBe('Allow')
    }
    for (const role of properties('AWS::IAM::Role')) expect(role).not.toHaveProperty('ManagedPolicyArns')
  })

  test('reaches the table except by key, or may scan, delete or write transactions', () => {
    const onTable = statements().filter(({ Action }) => JSON.stringify(Action).includes('dynamodb:'))
    expect(onTable).toHaveLength(5)
    for (const { Action, Condition, Resource } of onTable) {
      expect(Resource).toEqual({ 'Fn::GetAtt': ['ProviderTable', 'Arn'] })
      expect(JSON.stringify(Condition)).toMatch(
        /"dynamodb:LeadingKeys":\["(SAML_PROVIDERS|SAML_PROVIDER#\*|USER#\*)"\]/,
      )
      expect(JSON.stringify(Action)).not.toMatch(/Scan|Delete|Transact|Table|PartiQL/)
    }
  })

  test('of the listing function may write', () => {
    const [list] = properties('AWS::IAM::Role').filter(
      role => role.Policies[0].PolicyName === 'list-saml-providers',
    )
    expect(JSON.stringify(list)).not.toMatch(/dynamodb:\w*(Update|Write|Put)/)
  })
})

describe('the table', () => {
  test('is kept when the stack goes, protected, encrypted, restorable, and forgets what has expired', () => {
    const [table] = ofType('AWS::DynamoDB::Table')
    expect(table).toMatchObject({
      DeletionPolicy: 'Retain',
      UpdateReplacePolicy: 'Retain',
      Properties: {
        TableName: 'saml-providers-prod',
        BillingMode: 'PAY_PER_REQUEST',
        DeletionProtectionEnabled: true,
        PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
        SSESpecification: { SSEEnabled: true },
        TimeToLiveSpecification: { AttributeName: 'expires_at', Enabled: true },
      },
    })
  })
})

/** The names in a zip's central directory. */
function namesInZip(zip: Buffer): string[] {
  const names: string[] = []
  for (let at = zip.indexOf('PK\x01\x02'); at !== -1; at = zip.indexOf('PK\x01\x02', at + 46))
    names.push(zip.toString('utf8', at + 46, at + 46 + zip.readUInt16LE(at + 28)))
  return names
}
