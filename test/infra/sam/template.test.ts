import { existsSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { buildFunctions } from '../../../infra/build.ts'
import { openIssuer } from '../../../infra/local/issuer.ts'
import { samTemplate, writeTemplate } from '../../../infra/sam/template.ts'
import { provider, routes } from '../../../infra/serverless/service-definition.ts'
import { localSettings } from '../../../infra/serverless/settings.ts'

const issuers = (await openIssuer()).trust
const tablePort = 8123

describe('the template for SAM', () => {
  let resources: Record<string, { Type: string; Properties: unknown }> = {}
  const ofType = (type: string) =>
    Object.values(resources)
      .filter(resource => resource.Type === type)
      .map(resource => resource.Properties as never)
  const functions = () => ofType('AWS::Serverless::Function') as Record<string, never>[]

  beforeAll(async () => {
    await buildFunctions()
    const template = readFileSync(await writeTemplate(issuers, tablePort), 'utf8')
    resources = parse(template, { version: '1.1' }).Resources // the YAML that SAM CLI reads
  })

  test('is what is written, also in the YAML that SAM CLI reads', async () => {
    expect(resources).toEqual((await samTemplate(issuers, tablePort)).Resources)
  })

  test('has the settings of the service, buffered and uncompressed, with the table on this machine', async () => {
    const own = { issuers, tableName: 'saml-providers-sam', contentCodings: 'identity' }
    const buffered = { ...own, responseTransferMode: 'BUFFERED' }
    const { environment, timeoutSeconds } = await localSettings(buffered)
    expect(environment).toMatchObject({ CONTENT_CODINGS: 'identity', RESPONSE_TRANSFER_MODE: 'BUFFERED' })
    for (const properties of functions())
      expect(properties).toMatchObject({
        Runtime: provider.runtime,
        MemorySize: provider.memorySize,
        Timeout: timeoutSeconds,
        Environment: {
          Variables: { ...environment, AWS_ENDPOINT_URL_DYNAMODB: 'http://host.docker.internal:8123' },
        },
      })
  })

  test('has one API with the routes of serverless.yml and its binary types, each route with its function', () => {
    const routed = functions().flatMap(({ Events = {}, Handler }) =>
      Object.values<{ Properties: { Method: string; Path: string } }>(Events).map(({ Properties }) => {
        expect(Properties).toHaveProperty('RestApiId', { Ref: 'LocalApi' })
        return [Properties.Method, Properties.Path, Handler]
      }),
    )
    expect(routed).toEqual(routes.map(({ method, path, handler }) => [method, `/${path}`, basename(handler)]))
    expect(ofType('AWS::Serverless::Api')).toMatchObject([{ BinaryMediaTypes: ['*/*'] }])
  })

  test('names existing code', () => {
    for (const { CodeUri = '', Handler = '' } of functions())
      expect(existsSync(join(CodeUri, String(Handler).replace(/\.handler$/, '.mjs')))).toBe(true)
  })
})
