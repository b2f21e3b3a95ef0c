import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { writeSam } from '../../../infra/sam/write.ts'
import { endpoints, routes } from '../../../infra/serverless/service-definition.ts'
import { buffered, issuers, type Properties, packagedOnce } from '../serverless/packaged.ts'

const folder = mkdtempSync(join(tmpdir(), 'sam-'))
afterAll(() => rmSync(folder, { recursive: true }))

describe('the template for SAM', () => {
  const deployment = packagedOnce('dev', buffered)
  let resources: Record<string, { Type: string; Properties: Properties }> = {}
  const ofType = (type: string) =>
    Object.values(resources)
      .filter(resource => resource.Type === type)
      .map(resource => resource.Properties)
  const functions = () => ofType('AWS::Serverless::Function')

  beforeAll(async () => {
    const { template } = await writeSam({ folder, issuers, tablePort: 8123 })
    resources = parse(readFileSync(template, 'utf8'), { version: '1.1' }).Resources // the YAML that SAM CLI reads
  })

  test('has the functions of the routes of a buffered deployment, with runtime, memory, time-out and environment', () => {
    const inShort = ({ Handler, Runtime, MemorySize, Timeout, Environment }: Properties) => {
      const { AWS_ENDPOINT_URL_DYNAMODB: endpoint, ...variables } = Environment.Variables
      return { handler: basename(Handler), Runtime, MemorySize, Timeout, variables, endpoint }
    }
    const deployed = deployment.properties('AWS::Lambda::Function').map(inShort)
    const endpoint = 'http://host.docker.internal:8123'
    expect(functions().map(inShort)).toEqual(
      deployed.slice(0, endpoints.length).map(one => ({ ...one, endpoint })),
    )
  })

  test('has one API with the routes of the deployment, each with its function', () => {
    const routed = functions().flatMap(({ Events, Handler }) =>
      Object.values<Properties>(Events).map(({ Type, Properties }) => {
        const { Method, Path, RestApiId } = Properties
        return [Type, Method, Path, Handler, resources[RestApiId.Ref]?.Type]
      }),
    )
    expect(routed).toEqual(
      routes.map(({ method, path, handler }) => [
        ...['Api', method, `/${path}`],
        ...[basename(handler), 'AWS::Serverless::Api'],
      ]),
    )
  })

  test('has the binary media types of the deployment, so that a compressed answer is sent as bytes', () => {
    const deployed = deployment.properties('AWS::ApiGateway::RestApi').map(api => api.BinaryMediaTypes)
    expect(ofType('AWS::Serverless::Api').map(api => api.BinaryMediaTypes)).toEqual(deployed)
    expect(deployed).toEqual([['*/*']])
  })

  test('names existing code, without source maps', () => {
    for (const { CodeUri, Handler } of functions())
      expect(existsSync(join(folder, CodeUri, Handler.replace(/\.handler$/, '.mjs')))).toBe(true)
    const files = readdirSync(join(folder, 'code'), { recursive: true }).map(String)
    expect(files).toContain('.build/functions/list-saml-providers.mjs')
    expect(files.filter(name => name.endsWith('.map'))).toEqual([])
  })
})

describe('a folder of --folder', () => {
  test.each(['template.yml', 'code/index.js'])('keeps a %s of the user', async file => {
    const chosen = mkdtempSync(join(folder, 'chosen-'))
    mkdirSync(join(chosen, 'code'))
    if (file === 'template.yml') rmSync(join(chosen, 'code'), { recursive: true })
    writeFileSync(join(chosen, file), 'my own')
    const writing = writeSam({ folder: chosen, issuers, tablePort: 8123 })
    await expect(writing).rejects.toThrow(
      /^\S+\/(template\.yml|code) was not written by `npm run sam`: [^\n]*--folder/,
    )
    expect(readdirSync(chosen)).toEqual([file.split('/')[0]])
    expect(readFileSync(join(chosen, file), 'utf8')).toBe('my own')
  })

  test('of an earlier run is overwritten', async () => {
    const { template } = await writeSam({ folder, issuers, tablePort: 8124 })
    expect(readFileSync(template, 'utf8')).toContain(':8124"')
  })
})
