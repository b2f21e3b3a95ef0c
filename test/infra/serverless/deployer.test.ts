import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { allows, type Call, deployerPolicy, isLike } from '../../support/deployer-policy.ts'
import { framework, handlers, withoutResources } from './deployer-calls.ts'
import { everythingOn, packagedOnce, type Properties, root } from './packaged.ts'

const place = 'eu-central-1:123456789012'
const policy = deployerPolicy('eu-central-1', '123456789012', 'prod')
const deployment = packagedOnce('prod', everythingOn)

/** The name of a function, or of the function of a version. */
const functionName = (name: string | { Ref: string }): string => {
  if (typeof name === 'string') return name
  return functionName(deployment.resources[name.Ref]?.Properties.FunctionName)
}

/** The ARN of a resource of the template; AWS makes the names of roles, API and bucket. */
const arns: Record<string, (properties: Properties) => string> = {
  apigateway: () => 'arn:aws:apigateway:eu-central-1::/restapis/abc123/stages/prod',
  cloudwatch: ({ AlarmName, DashboardName }) =>
    AlarmName === undefined
      ? `arn:aws:cloudwatch::123456789012:dashboard/${DashboardName['Fn::Sub'].replace(/\$.*/, 'eu-central-1')}`
      : `arn:aws:cloudwatch:${place}:alarm:${AlarmName}`,
  dynamodb: ({ TableName }) => `arn:aws:dynamodb:${place}:table/${TableName}`,
  events: ({ Name }) => `arn:aws:events:${place}:rule/${Name}`,
  iam: ({ Path }) => `arn:aws:iam::123456789012:role${Path}deprecated-saml-e-ListSamlProviders-1ABC`,
  lambda: ({ FunctionName }) => `arn:aws:lambda:${place}:function:${functionName(FunctionName)}`,
  logs: ({ LogGroupName }) => `arn:aws:logs:${place}:log-group:${LogGroupName}`,
  s3: () => 'arn:aws:s3:::deprecated-saml-endpoint-serverlessdeploymentbuck-1abc',
}

/** Everything that CloudFormation calls for the template. */
const handlerCalls = (): Call[] =>
  Object.values(deployment.resources).flatMap(({ Type, Properties }) => {
    const [service = '', names = ''] = (handlers[Type] ?? '').split(': ')
    return names
      .split(' ')
      .filter(Boolean)
      .map(name => ({ action: `${service}:${name}`, resource: arns[service]?.(Properties) ?? '' }))
  })

/** What our commands call: the commands and paginators of the SDK that they import. */
function commandActions(): string[] {
  const folder = join(root, 'infra/serverless')
  const prefixes: Record<string, string> = {
    'api-gateway': 'apigateway',
    'cloudwatch-logs': 'logs',
    eventbridge: 'events',
  }
  const others: Record<string, string> = {
    GetStage: 'GET',
    UpdateStage: 'PATCH',
    HeadBucket: 'ListBucket',
    HeadObject: 'GetObject',
    DeleteObjects: 'DeleteObjectVersion',
    ListObjectVersions: 'ListBucketVersions',
  }
  return readdirSync(folder).flatMap(file => {
    const source = readFileSync(join(folder, file), 'utf8')
    return [...source.matchAll(/import \{([^}]*)\} from '@aws-sdk\/client-([\w-]+)'/g)].flatMap(
      ([, names = '', client = '']) =>
        [...names.matchAll(/\b(?:(\w+)Command|paginate(\w+))\b/g)].map(([, command, paginated = '']) => {
          const name = command ?? paginated
          return `${prefixes[client] ?? client}:${others[name] ?? name}`
        }),
    )
  })
}

describe("the deployer's policy", () => {
  test('allows what CloudFormation calls for each resource of the template', () => {
    const types = Object.values(deployment.resources).map(({ Type }) => Type)
    expect(Object.keys(handlers), 'list the calls of the new type').toEqual(expect.arrayContaining(types))
    expect(handlerCalls().filter(call => !allows(policy, call))).toEqual([])
    const creation = { action: 'apigateway:POST', resource: 'arn:aws:apigateway:eu-central-1::/restapis' }
    expect(allows(policy, creation)).toBe(true)
    for (const action of withoutResources)
      expect(allows(policy, { action, resource: '*' }), action).toBe(true)
  })

  test('allows each command of the SDK in infra/serverless, and what the framework calls', () => {
    const actions = [...commandActions(), ...framework]
    expect(actions.length).toBeGreaterThan(20)
    const patterns = policy.flatMap(({ Action }) => Action)
    const denied = actions.filter(action => !patterns.some(pattern => isLike(pattern, action)))
    expect(denied, 'add the action to infra/deployer/policy.json').toEqual([])
  })

  test('allows nothing that nobody calls', () => {
    const called = [
      ...handlerCalls().map(({ action }) => action),
      ...[...withoutResources, ...commandActions(), ...framework],
      ...['cloudformation:CancelUpdateStack', 'iam:PassRole', 's3:DeleteObject'],
    ]
    const patterns = policy.flatMap(({ Action }) => Action)
    expect(patterns.filter(pattern => !called.some(action => isLike(pattern, action)))).toEqual([])
  })

  test('lets the roles of the stage be given to Lambda only, and no others', () => {
    const pass = (resource: string, to: string) =>
      allows(policy, { action: 'iam:PassRole', resource, context: { 'iam:PassedToService': to } })
    const role = arns.iam?.(deployment.resources.ListSamlProvidersRole?.Properties ?? {}) ?? ''
    expect(pass(role, 'lambda.amazonaws.com')).toBe(true)
    expect(pass(role, 'ec2.amazonaws.com')).toBe(false)
    expect(pass('arn:aws:iam::123456789012:role/administrator', 'lambda.amazonaws.com')).toBe(false)
  })

  test('reaches nothing of other services but the API, whose name AWS makes', () => {
    const ofOthers = handlerCalls().map(({ action, resource }) => ({
      action,
      resource: resource.replaceAll(/(deprecated-saml|saml-providers)[\w-]*/g, 'theirs'),
    }))
    const reached = ofOthers.filter(call => allows(policy, call))
    expect(new Set(reached.map(({ action }) => action.split(':')[0]))).toEqual(new Set(['apigateway']))
  })

  test('of another stage reaches nothing of this one but the API and the bucket, whose names AWS makes', () => {
    const other = deployerPolicy('eu-central-1', '123456789012', 'dev')
    const reached = handlerCalls().filter(call => allows(other, call))
    expect(new Set(reached.map(({ action }) => action.split(':')[0]))).toEqual(new Set(['apigateway', 's3']))
  })

  test('fits in a managed policy, for a stage with a long name', () => {
    const long = deployerPolicy('ap-southeast-1', '123456789012', 'a'.repeat(19))
    expect(JSON.stringify(long).length).toBeLessThan(6144 - 50) // IAM's quota, without the outermost object
  })
})

test('the example workflow runs in the environment that the role trusts', () => {
  const trust = readFileSync(join(root, 'infra/deployer/trust.json'), 'utf8')
  expect(JSON.parse(trust).Statement[0].Condition.StringEquals).toMatchObject({
    'token.actions.githubusercontent.com:sub': 'repo:ORGANIZATION/REPOSITORY:environment:STAGE',
  })
  const { jobs } = parse(readFileSync(join(root, 'infra/deployer/deploy.yml'), 'utf8'))
  expect(jobs.deploy.environment).toMatch(/^\$\{\{ inputs\.stage }}$/)
})
