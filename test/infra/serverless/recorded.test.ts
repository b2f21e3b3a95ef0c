import { describe, expect, test } from 'vitest'
import { everythingOn, packagedOnce } from './packaged.ts'
import { recordedOf } from './recorded/recorded.ts'

const stack = 'deprecated-saml-endpoints-prod'
const deployment = packagedOnce('prod', everythingOn)

describe.each(['localstack', 'moto'] as const)('in the calls recorded with %s', tool => {
  const { deploy, update } = recordedOf(tool)
  const deletions = update.filter(call => /delete/i.test(call.split(' ')[1] ?? ''))

  test('every deployment deletes a change set and a log group, and nothing else', () => {
    expect(deletions).toEqual([
      'cloudformation DeleteChangeSet',
      'logs DeleteLogGroup /aws/api-gateway/deprecated-saml-endpoints-STAGE',
    ])
    expect(deploy).toEqual(expect.arrayContaining(deletions))
  })

  test('a deployment deletes no log group of the template', () => {
    const deleted = deletions.map(call => call.split(' ')[2]?.replace(/-STAGE$/, '-prod'))
    const names = deployment
      .properties('AWS::Logs::LogGroup')
      .map(
        ({ LogGroupName }) => LogGroupName['Fn::Sub']?.replace(/\$\{AWS::StackName\}/, stack) ?? LogGroupName,
      )
    expect(names).toHaveLength(4)
    for (const name of names) expect(deleted).not.toContain(name)
  })
})
