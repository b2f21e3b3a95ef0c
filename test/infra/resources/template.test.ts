import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { RegoEngine, TemplateFile } from '@aws/cloudformation-validate'
import { describe, expect, test } from 'vitest'
import { everythingOn, type Packaged, packagedOnce } from '../serverless/packaged.ts'

const renew = process.env.RENEW_GOLDEN === 'yes'
const renewal =
  'The template has changed. If that is intended: RENEW_GOLDEN=yes npm test -- test/infra/resources/template.test.ts && npm run format -- test/infra/resources/golden, and commit the files.'

// Findings that are not faults: replacement on renaming, no tags, the framework's Fn::Join, logs without a DeletionPolicy.
const advice = ['I9001', 'I9040', 'I1022', 'I3011']

describe.each([
  ['dev', {}],
  ['prod', everythingOn],
])('the template of %s', (stage, parameters) => {
  const deployment = packagedOnce(stage, parameters)

  test('equals the golden file', () => {
    const file = join(import.meta.dirname, 'golden', `${stage}.json`)
    if (renew) writeFileSync(file, JSON.stringify(summaryOf(deployment)))
    expect(summaryOf(deployment), renewal).toEqual(JSON.parse(readFileSync(file, 'utf8')))
  })

  test("has no fault and no warning of AWS's validator", () => {
    expect(findings(deployment.folder).filter(({ ruleId }) => !advice.includes(ruleId))).toEqual([])
  })

  test('escapes no dollar sign in Fn::Sub, as LocalStack does not support it', () => {
    expect(JSON.stringify(deployment.resources)).not.toContain('${!')
  })
})

/** The reviewed part of the template: without hashes, time stamps and derived values. */
function summaryOf({ resources, outputs, properties }: Packaged) {
  const withoutTime = (id: string) => id.replace(/^(ApiGatewayDeployment)\d+$/, '$1')
  const [lambda] = properties('AWS::Lambda::Function')
  return {
    resources: sorted(Object.entries(resources).map(([id, { Type }]) => [withoutTime(id), Type])),
    routes: properties('AWS::ApiGateway::Method')
      .map(({ HttpMethod, ResourceId }) => `${HttpMethod} ${ResourceId.Ref}`)
      .sort(),
    roles: sorted(
      properties('AWS::IAM::Role').flatMap(({ Policies }) =>
        Policies.map(({ PolicyName, PolicyDocument }: (typeof Policies)[0]) => [
          PolicyName,
          PolicyDocument.Statement.map(statementInShort),
        ]),
      ),
    ),
    environment: Object.keys(lambda?.Environment.Variables).sort(),
    timeouts: [
      lambda?.Timeout,
      ...properties('AWS::ApiGateway::Method').map(m => m.Integration.TimeoutInMillis),
    ],
    retention: properties('AWS::Logs::LogGroup').map(({ RetentionInDays }) => RetentionInDays),
    kept: Object.keys(resources).filter(id => resources[id]?.DeletionPolicy === 'Retain'),
    outputs: Object.keys(outputs).sort(),
  }
}

function statementInShort({ Action, Resource, Condition }: Packaged['outputs'][string]): string {
  const on = Resource === '*' ? '*' : Resource['Fn::GetAtt'][0]
  const keys = Object.values(Condition ?? {}).flatMap(test => Object.values(test as object).flat())
  return `${[Action].flat().sort().join(', ')} on ${on}${keys.length > 0 ? ` where ${keys.join(', ')}` : ''}`
}

const sorted = (entries: [string, unknown][]) =>
  Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)))

function findings(folder: string) {
  const engine = new RegoEngine()
  try {
    const { status, diagnostics } = engine.validateStandard(
      new TemplateFile(join(folder, 'cloudformation-template-update-stack.json')),
    )
    expect(status).toBe('OK')
    return diagnostics.map(({ ruleId, entity, message }) => ({
      ruleId,
      on: `${entity?.logicalId}: ${message}`,
    }))
  } finally {
    engine.free()
  }
}
