import { join } from 'node:path'
import { RegoEngine, TemplateFile } from '@aws/cloudformation-validate'
import { describe, expect, test } from 'vitest'
import { buffered, everythingOn, type Packaged, packagedOnce } from '../serverless/packaged.ts'

// Not faults: replacement on renaming, tags of the stack only, the framework's Fn::Join, logs without a DeletionPolicy.
const advice = ['I9001', 'I9040', 'I1022', 'I3011']

describe('the template', () => {
  const deployment = packagedOnce('prod', everythingOn)
  const withoutAYear = packagedOnce('dev', buffered)

  test("has no fault and no warning of AWS's validator", () => {
    expect(findings(deployment.folder).filter(({ ruleId }) => !advice.includes(ruleId))).toEqual([])
  })

  test('keeps nothing but the table when it is deleted, and logs whose retention is a year or more', () => {
    const kept = ({ resources }: Packaged) =>
      Object.keys(resources).filter(id => resources[id]?.DeletionPolicy === 'Retain')
    expect(kept(withoutAYear)).toEqual(['ProviderTable'])
    const logs = Object.keys(deployment.resources).filter(id => id.endsWith('LogGroup'))
    expect(logs.length).toBeGreaterThanOrEqual(4)
    expect(kept(deployment).sort()).toEqual([...logs, 'ProviderTable'].sort())
  })

  test('escapes no dollar sign in Fn::Sub, as LocalStack does not support it', () => {
    expect(JSON.stringify(deployment.resources)).not.toContain('${!')
  })
})

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
