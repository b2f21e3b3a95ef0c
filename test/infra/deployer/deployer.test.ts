import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { projectRoot } from '../../../infra/project-root.ts'
import { everythingOn, packagedOnce } from '../serverless/packaged.ts'

interface Statement {
  Sid: string
  Action: string | string[]
  Resource: string | string[]
  Condition?: object
}

const read = (name: string) => readFileSync(join(projectRoot, 'infra/deployer', name), 'utf8')
const policy = read('policy.json')
const statements: Statement[] = JSON.parse(policy).Statement
const actionsOf = (sid: string) =>
  statements.flatMap(({ Sid, Action }) => (Sid === sid ? [Action].flat() : []))
const all = statements.flatMap(({ Action }) => Action)
const deployment = packagedOnce('prod', everythingOn)

/** The types of which infra/deployer/policy.json has the calls, by the statement that has them. */
const types: Record<string, string[]> = {
  Alarms: ['CloudWatch::Alarm'],
  Api: ['Deployment', 'GatewayResponse', 'Method', 'Resource', 'RestApi', 'Stage'].map(
    name => `ApiGateway::${name}`,
  ),
  Dashboard: ['CloudWatch::Dashboard'],
  Functions: ['EventInvokeConfig', 'Function', 'Permission', 'Version'].map(name => `Lambda::${name}`),
  Logs: ['Logs::LogGroup'],
  Packages: ['S3::Bucket', 'S3::BucketPolicy'],
  RightsOfRoles: ['IAM::Policy'],
  Roles: ['IAM::Role'],
  Schedule: ['Events::Rule'],
  Table: ['DynamoDB::Table'],
  WithoutResources: ['Logs::QueryDefinition'],
}

describe("the deployer's policy", () => {
  test('has the calls of each type of resource in the template', () => {
    const known = Object.values(types).flat()
    const remedy = 'add the calls of its schema to infra/deployer/policy.json, and the type here'
    for (const { Type } of Object.values(deployment.resources))
      expect(known, remedy).toContain(Type.replace('AWS::', ''))
    expect(statements.map(({ Sid }) => Sid)).toEqual(expect.arrayContaining(Object.keys(types)))
  })

  test('may change the tags of what takes tags', () => {
    const calls = [/:Tag(Resource|Role)$/, /:Untag(Resource|Role)$/, /:List(\*|Tags(For|Of)Resource)$/]
    for (const sid of ['Alarms', 'Dashboard', 'Functions', 'Logs', 'Packages', 'Roles', 'Schedule', 'Table'])
      for (const call of calls) expect(actionsOf(sid), sid).toContainEqual(expect.stringMatching(call))
  })

  test.each([
    ['Preview, upgrade', 'CreateChangeSet'],
    ['Roll back', 'ContinueUpdateRollback'],
    ['Stop and start', 'DescribeStackResources'],
  ])('has the calls of "%s" in infra/operations.md', (title, one) => {
    const page = readFileSync(join(projectRoot, 'infra/operations.md'), 'utf8')
    const section = page.split(`\n## ${title}\n`)[1]?.split('\n## ')[0] ?? ''
    const pascal = (name: string) => name.replace(/(^|-)(\w)/g, (_, __, letter) => letter.toUpperCase())
    const others: Record<string, string> = {
      's3:Cp': 's3:PutObject',
      's3:Rm': 's3:DeleteObject',
      'cloudformation:Wait': 'cloudformation:DescribeChangeSet',
    }
    const calls = [...section.matchAll(/aws (\w+) ([\w-]+)/g)]
      .map(([, service, name = '']) => `${service}:${pascal(name)}`)
      .map(call => others[call] ?? call)
    expect(calls).toContain(`cloudformation:${one}`)
    const isAllowed = (call: string) =>
      all.some(action => new RegExp(`^${action.replaceAll('*', '.*')}$`).test(call))
    // CloudFormation reads the template with its caller's rights.
    expect([...calls, 's3:GetObject'].filter(call => !isAllowed(call))).toEqual([])
  })

  test('may name all resources only in calls that know none', () => {
    for (const { Sid, Resource } of statements) {
      const isOfStage = /STAGE|deprecated-saml|::\/(restapis|tags)/
      for (const one of [Resource].flat()) if (Sid !== 'WithoutResources') expect(one).toMatch(isOfStage)
    }
    for (const action of actionsOf('WithoutResources'))
      expect(action).toMatch(/:(Describe|Validate|\*QueryDefinition)/)
    for (const action of all) expect(action).not.toMatch(/^\*|:\*$/)
  })

  test('cannot touch items, the table or a boundary', () => {
    const denied =
      /^dynamodb:(\w*Item|Query|Scan|PartiQL\w*|DeleteTable|Delete\*)$|DeleteRolePermissionsBoundary|DeleteRole\*/
    expect(all.filter(action => denied.test(action))).toEqual([])
  })

  test('may give the roles of the stage to Lambda only', () => {
    const passing = statements.filter(({ Action }) => [Action].flat().includes('iam:PassRole'))
    expect(passing).toMatchObject([
      {
        Resource: 'arn:aws:iam::ACCOUNT:role/deprecated-saml-endpoints/STAGE/*',
        Condition: { StringEquals: { 'iam:PassedToService': 'lambda.amazonaws.com' } },
      },
    ])
  })

  test('of a stage with a long name fits in a managed policy', () => {
    const filled = policy.replaceAll('STAGE', 'a'.repeat(19)).replaceAll('REGION', 'ap-southeast-1')
    const text = JSON.stringify(JSON.parse(filled.replaceAll('ACCOUNT', '123456789012')))
    expect(text.length).toBeLessThanOrEqual(6144) // IAM's quota, which does not count white space
  })
})

test('the example workflow runs no install script of a package where it may sign in', () => {
  const { permissions, jobs } = parse(read('deploy.yml'))
  expect(permissions).toHaveProperty('id-token')
  const installs = jobs.deploy.steps.filter(({ run = '' }) => /npm (ci|i|install)\b/.test(run))
  expect(installs).toEqual([{ run: 'npm ci --ignore-scripts' }])
})

test('the example workflow runs in the environment that the role trusts', () => {
  const [{ Condition }] = JSON.parse(read('trust.json')).Statement
  expect(Condition.StringEquals).toMatchObject({
    'token.actions.githubusercontent.com:sub': 'repo:ORGANIZATION/REPOSITORY:environment:STAGE',
  })
  expect(parse(read('deploy.yml')).jobs.deploy.environment).toMatch(/^\$\{\{ inputs\.stage }}$/)
})

test('the commands of the example workflow get each input as a variable', () => {
  const { on, jobs } = parse(read('deploy.yml'))
  const { env, steps } = jobs.deploy
  const commands = steps.map(({ run = '' }) => run).join('\n')
  expect(commands).not.toContain('${{') // it would become a part of the command
  for (const input of Object.keys(on.workflow_dispatch.inputs)) {
    const [variable] = Object.entries(env).find(([, value]) => value === `\${{ inputs.${input} }}`) ?? []
    expect(commands, input).toContain(`$${variable}`)
  }
})
