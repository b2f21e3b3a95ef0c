import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parseDocument, visit } from 'yaml'
import { projectRoot } from '../../infra/project-root.ts'
import { gatewayAnswer, type GatewayCode, gatewayResponses } from '../../infra/resources/gateway-responses.ts'
import { defaults, localSettings, routes } from '../../infra/serverless/service-definition.ts'
import { decode } from '../../lib/domain/fields.ts'
import { samlProviderShape, userShape } from '../../lib/domain/resources.ts'
import { problemKinds } from '../../lib/http/problem.ts'
import { userItem } from '../../infra/data/table/encoding.ts'
import { sampleUser } from '../support/samples.ts'
import { components, info, operations, responses, type Schema, servers, text } from './description.ts'
import { assertDocumented, mismatches } from './validate.ts'

const { schemas, headers } = components

const gatewayProblems: { code: string; status: number; title: string; detail: string }[] = Object.values(
  gatewayResponses({}),
).map(({ Properties }) => JSON.parse(Properties.ResponseTemplates['application/json']))
const isGatewayCode = (name: unknown): name is GatewayCode =>
  gatewayProblems.some(({ code }) => code === name)

/** Status and texts of the problems of API Gateway and of the functions, by code. */
const texts = new Map<unknown, object>(
  [...gatewayProblems, ...Object.entries(problemKinds).map(([code, kind]) => ({ code, ...kind }))].map(
    ({ code, status, title, detail }) => [code, { code, status, title, detail }],
  ),
)

// Names and types in order, of a schema and of a value.
const described = ({ type, properties, items }: Schema): unknown => {
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

/** The schemas of all properties in a part of the description, with their names. */
const propertiesIn = (part: object): [name: string, Schema | boolean][] =>
  Object.entries(part).flatMap(([key, value]) => {
    if (typeof value !== 'object' || value === null) return []
    return [...(key === 'properties' ? Object.entries<Schema>(value) : []), ...propertiesIn(value)]
  })

test('the API description has the version of package.json', () => {
  expect(info.version).toBe(JSON.parse(readFileSync(join(projectRoot, 'package.json'), 'utf8')).version)
})

test('the API description has exactly the routes of serverless.yml', () => {
  expect(Object.keys(operations).sort(), 'describe each route in infra/openapi.yml').toEqual(
    routes.map(({ method, path }) => `${method.toUpperCase()} /${path}`).sort(),
  )
})

test('the API description has nothing on which generators of clients fail', () => {
  const aliases: string[] = [] // openapi-generator before 7.19 reads none
  visit(parseDocument(text), { Alias: (_, { source }) => void aliases.push(source) })
  expect(aliases).toEqual([])
  for (const variable of servers.flatMap(({ variables }) => Object.values(variables)))
    expect(variable, 'orval').not.toHaveProperty('description')
})

test('the API description has the answers that every request can get', () => {
  for (const [name, operation] of Object.entries(operations))
    expect(Object.keys(operation.responses), `describe the answers of ${name}`).toEqual(
      expect.arrayContaining(['200', '401', '403', '404', '410', '413', '429', '500', '503']),
    )
})

test('the API description has the defaults of a deployment', async () => {
  const issuers = '[{"issuer":"a","audience":"b","jwksUri":"https://c"}]'
  const { environment } = localSettings({ issuers, tableName: 'some-table' })
  const { maxWaitSeconds, retentionDays } = defaults
  expect(JSON.stringify(components.parameters)).toContain(`maximum is ${maxWaitSeconds} seconds unless`)
  expect(JSON.stringify(operations)).toContain(`(default: ${retentionDays} days)`)
  for (const [name, { deprecated, description, security }] of Object.entries(operations)) {
    expect(deprecated).toBe(true)
    expect(description).toContain(`\`${name.split(' ')[0]} ${environment.SUCCESSOR_PATH}`)
    const scope = name.startsWith('GET') ? environment.READ_SCOPE : environment.DELETE_SCOPE
    expect(security).toEqual([{ bearer: [scope] }])
  }
})

test.each([
  ['User', decode(userShape, userItem(sampleUser(1)))],
  ['SamlProvider', decode(samlProviderShape, { principal_attribute_mappings: [''] })],
])('the schema %s has the fields of the code in order', (name, resource) => {
  const { [name]: schema = {} } = schemas
  expect(described(schema), 'describe each field in infra/openapi.yml').toEqual(shown(resource))
})

test('the schemas require every field but the secret of a user', () => {
  const all = [...Object.entries(schemas), ...propertiesIn(schemas)]
  expect(all.length).toBeGreaterThan(100)
  for (const [name, schema] of all) {
    expect(typeof schema, `oapi-codegen cannot load a boolean as the schema of ${name}`).toBe('object')
    const { type, properties = {}, required, additionalProperties } = schema as Schema
    if (type !== 'object' || name === 'Problem') continue
    const message = `require each field of ${name}, and allow no other, in infra/openapi.yml`
    const always = Object.keys(properties).filter(field => field !== 'AuthSecret')
    expect([required, additionalProperties], message).toEqual([always, false])
  }
})

test('the API description has a format for every id that is a number', () => {
  const formats = Object.entries(schemas).flatMap(([name, { properties }]) =>
    properties?.id?.type === 'integer' ? [[name, properties.id.format]] : [],
  )
  const stored = { AuthSecret: 'int64', Role: 'int64', Permission: 'int64' }
  expect(Object.fromEntries(formats)).toEqual({ SamlProvider: 'int32', ...stored })
})

// `npm run lint:api` compares the examples of bodies and parameters with their schemas, but not those of headers.
test('the API description has an example of each header within its limits', () => {
  const optional = Object.keys(headers).filter(name => headers[name]?.required !== true)
  expect(optional).toEqual(['Sunset', 'PreferenceApplied', 'ContentEncoding', 'ScopeChallenge'])
  for (const [name, { schema, ...header }] of Object.entries(headers)) {
    expect(mismatches(schema, '', name), name).not.toEqual([])
    if ('example' in header) expect(mismatches(schema, header.example, name)).toEqual([])
  }
})

test('the API description has an example of each code', () => {
  const found = new Set<unknown>()
  for (const { name, status, examples } of responses.filter(({ type }) => type.includes('problem')))
    for (const example of examples) {
      found.add(example.code)
      expect(example, name).toMatchObject(texts.get(example.code) ?? { code: 'one that the code has' })
      expect(example.status, name).toBe(status)
    }
  const codes = [...texts.keys()].sort()
  expect([...found].sort(), 'give each code an example in infra/openapi.yml').toEqual(codes)
  expect(schemas.ProblemCode?.enum?.sort(), 'name each code in its ProblemCode').toEqual(codes)
})

test('the API description has the headers of the answers that API Gateway makes itself', () => {
  const deprecation = { Deprecation: '@1', Link: '</x>; rel="successor-version"' }
  for (const { name, examples, headers, status } of responses) {
    const [method = '', path = ''] = name.split(' ')
    for (const { code } of examples)
      if (isGatewayCode(code)) assertDocumented(method, path, gatewayAnswer(code, 'r', deprecation))
    expect('Retry-After' in headers, name).toBe(status === 503 || status === 429)
  }
})
