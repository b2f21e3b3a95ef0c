import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { checkEnvironment } from '../../../infra/serverless/environment-size.ts'
import { readTemplate } from '../../../infra/serverless/template.ts'

const lambda = (Variables: Record<string, unknown>) => ({
  Type: 'AWS::Lambda::Function',
  Properties: { FunctionName: 'f', Environment: { Variables } },
})
const measured = (bytes: number) => ` of f have ${bytes} bytes as JSON, `

describe("a function's environment variables", () => {
  // {"A":"…"} has eight characters beside the value.
  test.each([
    ['4,096 bytes are allowed', { A: 'x'.repeat(4088) }, undefined],
    ['a byte more is refused', { A: 'x'.repeat(4089) }, measured(4097)],
    ['names count', { [`A${'B'.repeat(4089)}`]: '' }, measured(4097)],
    ['each variable costs six characters of JSON', { A: 'x'.repeat(4080), B: 'yyy' }, measured(4098)],
    ['a quote is escaped', { A: '"'.repeat(2045) }, measured(4098)],
    ['a letter may have two bytes', { A: 'ü'.repeat(2045) }, measured(4098)],
    ['a reference counts as nothing', { A: 'x'.repeat(4081), B: { Ref: 'T' } }, undefined],
    ['the text around a reference counts', { A: { 'Fn::Sub': `${'x'.repeat(4089)}\${T}` } }, measured(4097)],
    ['with names of its own, too', { A: { 'Fn::Sub': [`\${N}${'x'.repeat(4089)}`, {}] } }, measured(4097)],
    ['joined texts count', { A: { 'Fn::Join': ['--', ['x'.repeat(4087), { Ref: 'T' }]] } }, measured(4097)],
  ])('%s', (_, variables, fault) => {
    const check = () => checkEnvironment({ F: lambda(variables) })
    if (fault === undefined) expect(check).not.toThrow()
    else expect(check).toThrow(fault)
  })

  test('are measured for each function, and other resources are not', () => {
    const large = { ISSUERS: 'x'.repeat(5000), A: '' }
    const resources = { A: lambda({}), B: { Type: 'X' }, C: { ...lambda(large), Type: 'X' } }
    expect(() => checkEnvironment(resources)).not.toThrow()
    expect(() => checkEnvironment({ ...resources, D: lambda(large) })).toThrow(
      'The environment variables of f have 5021 bytes as JSON, and Lambda allows 4096: shorten ISSUERS, the longest; infra/issuers.md says how.',
    )
  })
})

test('a package with more is refused', () => {
  const folder = mkdtempSync(join(tmpdir(), 'large-package-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const template = { Resources: { F: lambda({ A: 'x'.repeat(5000) }) } }
  writeFileSync(join(folder, 'cloudformation-template-update-stack.json'), JSON.stringify(template))
  expect(() => readTemplate(folder)).toThrow('5008 bytes')
})
