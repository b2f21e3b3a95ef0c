import { exec } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { gatewayAnswer, type GatewayCode, gatewayResponses } from '../../infra/resources/gateway-responses.ts'
import { parametersOf, routes } from '../../infra/serverless/service-definition.ts'
import { localSettings } from '../../infra/serverless/settings.ts'
import { decode } from '../../lib/domain/fields.ts'
import { samlProviderShape, userShape } from '../../lib/domain/resources.ts'
import { problemKinds } from '../../lib/http/problem.ts'
import { userItem } from '../../lib/store/items.ts'
import { sampleUser } from '../support/samples.ts'
import { description, operations, problemsOf, responses, type Schema } from './description.ts'
import { assertDocumented, mismatches } from './validate.ts'

const root = join(import.meta.dirname, '..', '..')

/** The problems of the functions and of the gateway responses, by code. */
const problemsByCode = new Map<string, { code: string; status: number; title: string; detail: string }>()
for (const { Properties } of Object.values(gatewayResponses({}))) {
  const { code, status, title, detail } = JSON.parse(Properties.ResponseTemplates['application/json'])
  problemsByCode.set(code, { code, status, title, detail })
}
for (const [code, { status, title, detail }] of Object.entries(problemKinds))
  problemsByCode.set(code, { code, status, title, detail })

const gatewayCodes = Object.values(gatewayResponses({})).map(
  ({ Properties }) => JSON.parse(Properties.ResponseTemplates['application/json']).code,
)
const isGatewayCode = (code: string): code is GatewayCode => gatewayCodes.includes(code)

// Names and types in order, of a schema and of a value.
const described = ({ type, properties, items, oneOf }: Schema): unknown => {
  if (oneOf?.[0] !== undefined) return described(oneOf[0])
  if (properties !== undefined)
    return Object.entries(properties).map(([name, inner]) => [name, described(inner)])
  return items !== undefined ? [described(items)] : type
}
const shown = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(shown)
  if (typeof value === 'object' && value !== null)
    return Object.entries(value).map(([name, inner]) => [name, shown(inner)])
  return typeof value === 'number' ? 'integer' : typeof value
}

const everySchema = (schema: Schema): Schema[] => [
  schema,
  ...[...Object.values(schema.properties ?? {}), ...(schema.oneOf ?? []), schema.items ?? []]
    .flat()
    .flatMap(everySchema),
]

describe('the description', () => {
  test('has no error and no warning of Redocly', async () => {
    const { stdout, stderr } = await promisify(exec)('npm run --silent lint:api', { cwd: root })
    expect(`${stdout}${stderr}`).toContain('Your API description is valid')
    expect(`${stdout}${stderr}`).not.toMatch(/warning/i)
  })

  test('has exactly the routes of serverless.yml', () => {
    expect(Object.keys(operations).sort(), 'describe each route in infra/openapi.yml').toEqual(
      routes.map(({ method, path }) => `${method.toUpperCase()} /${path}`).sort(),
    )
  })

  test('has the version of package.json', () => {
    expect(description.info.version).toBe(
      JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).version,
    )
  })

  test.each([
    ['User', decode(userShape, userItem(sampleUser(1)))],
    ['SamlProvider', decode(samlProviderShape, { principal_attribute_mappings: [''] })],
  ])('%s has the fields of the code, in order', (name, resource) => {
    const schema = description.components.schemas[name] ?? {}
    expect(described(schema), 'describe each field in infra/openapi.yml').toEqual(shown(resource))
  })

  test('requires all fields of every object, and allows no others', () => {
    const objects = Object.entries(description.components.schemas)
      .filter(([name]) => !name.endsWith('Problem'))
      .flatMap(([, schema]) => everySchema(schema))
      .filter(schema => schema.type === 'object')
    expect(objects.length).toBeGreaterThan(10)
    for (const { properties = {}, required, additionalProperties } of objects)
      expect([required, additionalProperties]).toEqual([Object.keys(properties), false])
  })

  test('has a format for every id: int32 for providers, int64 for what else is stored', () => {
    const formats = Object.entries(description.components.schemas).flatMap(([name, { properties }]) =>
      properties?.id?.type === 'integer' ? [[name, properties.id.format]] : [],
    )
    const stored = { AuthSecret: 'int64', Role: 'int64', Permission: 'int64' }
    expect(Object.fromEntries(formats)).toEqual({ SamlProvider: 'int32', ...stored })
  })

  test('has no boolean as a schema, which oapi-codegen cannot load', () => {
    const inside = (schema: object): unknown[] =>
      Object.entries(schema).flatMap(([key, value]) => {
        if (typeof value !== 'object' || value === null) return []
        return [...(key === 'properties' ? Object.values(value) : []), ...inside(value)]
      })
    const found = inside(description.components.schemas)
    expect(found.length).toBeGreaterThan(100)
    expect(found.filter(schema => typeof schema === 'boolean')).toEqual([])
  })

  test('has the defaults of a deployment', () => {
    const { maxWaitSeconds, retentionDays } = parametersOf('default')
    const text = JSON.stringify(description)
    for (const part of [`maximum is ${maxWaitSeconds} seconds unless`, `(default: ${retentionDays} days)`])
      expect(text).toContain(part)
  })

  test('has exactly the codes with their status', () => {
    const pairs = responses
      .filter(({ type }) => type === 'application/problem+json')
      .flatMap(({ schema: { properties }, status }) =>
        (properties?.code?.enum ?? []).map(code => `${code} ${properties?.status?.const} ${status}`),
      )
    const expected = [...problemsByCode.values()].map(({ code, status }) => `${code} ${status} ${status}`)
    expect([...new Set(pairs)].sort()).toEqual(expected.sort())
  })

  test('has the headers of the answers that API Gateway makes itself', () => {
    const deprecation = { Deprecation: '@1', Link: '</x>; rel="successor-version"' }
    for (const { name, schema } of responses) {
      const [method = '', path = ''] = name.split(' ')
      for (const code of schema.properties?.code?.enum ?? [])
        if (isGatewayCode(code)) assertDocumented(method, path, gatewayAnswer(code, 'r', deprecation))
    }
  })

  test('has Retry-After for exactly 503 and 429', () => {
    for (const { name, status, response } of responses)
      expect('Retry-After' in response.headers, name).toBe(status === 503 || status === 429)
  })

  test('names deprecation, successor and scope of every operation', async () => {
    const issuers = '[{"issuer":"a","audience":"b","jwksUri":"https://c"}]'
    const { environment } = await localSettings({ issuers, tableName: 'some-table' })
    for (const [name, { deprecated, description: text, security }] of Object.entries(operations)) {
      expect(deprecated).toBe(true)
      expect(text).toContain(`\`${name.split(' ')[0]} ${environment.SUCCESSOR_PATH}`)
      const scope = name.startsWith('GET') ? environment.READ_SCOPE : environment.DELETE_SCOPE
      expect(security).toEqual([{ bearer: [scope] }])
    }
  })
})

describe('the examples', () => {
  test.each(responses)('of $name match their schema', ({ examples, schema }) => {
    expect(Object.keys(examples)).not.toEqual([])
    for (const [name, { value }] of Object.entries(examples))
      expect(mismatches(schema, value, name)).toEqual([])
  })

  test.each(responses)('of the headers of $name match their schemas', ({ response }) => {
    for (const [name, { example, schema }] of Object.entries(response.headers))
      if (example !== undefined) expect(mismatches(schema, example, name)).toEqual([])
  })

  test.each(responses)('of $name show each of its codes with its texts', response => {
    const problems = problemsOf(response)
    for (const { code, status, title, detail } of problems)
      expect({ code, status, title, detail }).toEqual(problemsByCode.get(code))
    expect([...new Set(problems.map(({ code }) => code))]).toEqual(
      response.schema.properties?.code?.enum ?? [],
    )
  })
})
