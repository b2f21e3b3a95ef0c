import { describe, expect, test } from 'vitest'
import { checkEnvironment } from '../../../infra/serverless/environment-size.ts'
import { packaged } from './packaged.ts'

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
    const large = { A: 'x'.repeat(4089) }
    const resources = { A: lambda({}), B: { Type: 'X' }, C: { ...lambda(large), Type: 'X' } }
    expect(() => checkEnvironment(resources)).not.toThrow()
    expect(() => checkEnvironment({ ...resources, D: lambda(large) })).toThrow(measured(4097))
  })
})

describe('a package with inlined keys', () => {
  const issuersWith = (count: number) => {
    const n = 'n'.repeat(342) // an RSA key of 2,048 bits
    const keys = Array.from({ length: count }, (_, at) => ({ kty: 'RSA', kid: `key-${at}`, n, e: 'AQAB' }))
    return JSON.stringify([{ issuer: 'https://login.example.com', audience: 'a', jwks: { keys } }])
  }

  test('is made with eight', async () => {
    const { properties } = await packaged('dev', { issuers: issuersWith(8) })
    expect(properties('AWS::Lambda::Function')[0]?.Environment.Variables.ISSUERS).toBe(issuersWith(8))
  })

  test('is refused with ten, in one sentence', async () => {
    const name = 'deprecated-saml-endpoints-dev-listSamlProviders'
    await expect(packaged('dev', { issuers: issuersWith(10) })).rejects.toThrow(
      new RegExp(
        `\\nThe environment variables of ${name} have \\d{4} bytes as JSON, and Lambda allows 4096: shorten ISSUERS, the longest; infra/issuers.md says how.\\n$`,
      ),
    )
  })
})
