import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import { description, operations, type Response, type Schema } from './description.ts'

interface Answer {
  status: number | undefined
  headers: Readonly<Record<string, string | string[] | undefined>>
  body: string | Buffer
}

// Strict mode refuses unknown keywords. strictTypes is off, as subschemas do not repeat the type.
const ajv = new Ajv2020({ strict: true, strictTypes: false, allErrors: true })
formats.default(ajv)

/** The compiled schemas. */
const compiled = new Map<Schema, ValidateFunction>()

/** Headers that OpenAPI does not describe as headers. */
const undescribedHeaders = /^(content-type|content-length|connection|date|keep-alive|transfer-encoding)$/

/**
 * Asserts that infra/openapi.yml documents the answer: status, content type, headers and the members of the body.
 *
 * @param target the path of the request, or its route
 * @throws Error that lists all differences
 */
export function assertDocumented(method: string, target: string, answer: Answer): void {
  const response = responseTo(method, target, answer.status)
  const found = response === undefined ? ['the status is not documented'] : faults(response, answer)
  if (found.length > 0)
    throw new Error(
      [`Not documented in infra/openapi.yml: ${method} ${target} → ${answer.status}`, ...found].join(
        '\n  - ',
      ),
    )
}

function responseTo(method: string, target: string, status?: number): Response | undefined {
  const [path = ''] = target.split('?')
  const key = Object.keys(operations).find(name => matches(name, `${method} ${path}`))
  if (key !== undefined) return operations[key]?.responses[String(status)]
  return status === 404 ? description.components.responses.NoSuchRoute : undefined
}

function matches(operation: string, request: string): boolean {
  const [expected, actual] = [operation.split('/'), request.split('/')]
  return (
    expected.length === actual.length &&
    expected.every((one, index) => (one.startsWith('{') ? actual[index] !== '' : one === actual[index]))
  )
}

function faults(response: Response, answer: Answer): string[] {
  const headers = new Map(
    Object.entries(answer.headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name.toLowerCase(), [value].flat().join(', ')] as const],
    ),
  )
  return [...headerFaults(response, headers), ...bodyFaults(response, headers, answer.body)]
}

function headerFaults(response: Response, headers: ReadonlyMap<string, string>): string[] {
  const documented = new Map(
    Object.entries(response.headers).map(([name, header]) => [name.toLowerCase(), header]),
  )
  const unknown = [...headers.keys()].filter(name => !documented.has(name) && !undescribedHeaders.test(name))
  return [
    ...unknown.map(name => `the header ${name} is not documented`),
    ...[...documented].flatMap(([name, { required, schema }]) => {
      const value = headers.get(name)
      if (value === undefined) return required ? [`the header ${name} is missing`] : []
      return mismatches(schema, schema.type === 'integer' ? Number(value) : value, `the header ${name}`)
    }),
  ]
}

function bodyFaults(
  response: Response,
  headers: ReadonlyMap<string, string>,
  body: Answer['body'],
): string[] {
  const type = headers.get('content-type') ?? 'none'
  const content = response.content[type]
  if (content === undefined) return [`the content type ${type} is not documented`]
  const value = JSON.parse(decoded(body, headers.get('content-encoding')))
  const sameId = !('request_id' in value) || value.request_id === headers.get('x-request-id')
  return [
    ...mismatches(content.schema, value, 'the body'),
    ...(sameId ? [] : ['request_id is not X-Request-Id']),
  ]
}

function decoded(body: Answer['body'], coding?: string): string {
  if (coding === 'br') return brotliDecompressSync(body).toString()
  if (coding === 'gzip') return gunzipSync(body).toString()
  return body.toString()
}

/** The distinct faults of a value, at most 10. */
export function mismatches(schema: Schema, value: unknown, what: string): string[] {
  const validate = compiled.get(schema) ?? ajv.compile(schema)
  compiled.set(schema, validate)
  if (validate(value)) return []
  const texts = (validate.errors ?? []).map(
    ({ instancePath, message, params }) => `${what}${instancePath} ${message} (${JSON.stringify(params)})`,
  )
  return [...new Set(texts)].slice(0, 10)
}
