import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { Ajv2020 } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import { components, operations, type Response, type Schema, withContent } from './description.ts'

interface Answer {
  status: number | undefined
  headers: Readonly<Record<string, string | string[] | undefined>>
  body: string | Buffer
}

// Strict mode refuses unknown keywords. strictTypes is off, as subschemas do not repeat the type.
const ajv = new Ajv2020({ strict: true, strictTypes: false, allErrors: true })
formats.default(ajv)

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
  const title = `Not documented in infra/openapi.yml: ${method} ${target} → ${answer.status}`
  if (found.length > 0) throw new Error([title, ...found].join('\n  - '))
}

function responseTo(method: string, target: string, status?: number): Response | undefined {
  const [path = ''] = target.split('?')
  const name = Object.keys(operations).find(operation =>
    new RegExp(`^${operation.replace(/\{\w+\}/, '[^/]+')}$`).test(`${method} ${path}`),
  )
  const unknownPath = status === 404 ? components.responses.NoSuchRoute : undefined
  const response = name === undefined ? unknownPath : operations[name]?.responses[String(status)]
  return response && withContent(response)
}

function faults({ type, schema, examples, ...described }: Response, answer: Answer): string[] {
  const headers = new Headers()
  for (const [name, value = []] of Object.entries(answer.headers))
    for (const line of [value].flat()) headers.append(name, line)

  const actualType = headers.get('content-type')
  if (actualType !== type) return [`the content type ${actualType} is not documented`]
  const value = JSON.parse(decoded(answer.body, headers.get('content-encoding')))
  const found = [...headerFaults(described.headers, headers), ...mismatches(schema, value, 'the body')]
  if (type === 'application/json') return found
  if (value.status !== answer.status) found.push('status is not that of the answer')
  if (value.request_id !== headers.get('x-request-id')) found.push('request_id is not X-Request-Id')
  // An answer has the codes of the response's examples, and the members of those with its code.
  const alike = examples.filter(({ code }) => code === value.code)
  for (const name of Object.keys(value))
    if (!alike.some(example => name in example)) found.push(`no example with ${value.code} has ${name}`)
  return found
}

function headerFaults(described: Response['headers'], headers: Headers): string[] {
  const documented = new Map(Object.entries(described).map(([name, header]) => [name.toLowerCase(), header]))
  const unknown = [...headers.keys()].filter(name => !documented.has(name) && !undescribedHeaders.test(name))
  return [
    ...unknown.map(name => `the header ${name} is not documented`),
    ...[...documented].flatMap(([name, { required, schema }]) => {
      const value = headers.get(name)
      if (value === null) return required ? [`the header ${name} is missing`] : []
      return mismatches(schema, schema.type === 'integer' ? Number(value) : value, `the header ${name}`)
    }),
  ]
}

function decoded(body: Answer['body'], coding: string | null): string {
  if (coding === 'br') return brotliDecompressSync(body).toString()
  if (coding === 'gzip') return gunzipSync(body).toString()
  return body.toString()
}

/** The distinct faults of a value, at most 10. */
export function mismatches(schema: Schema, value: unknown, what: string): string[] {
  if (ajv.validate(schema, value)) return []
  const texts = (ajv.errors ?? []).map(
    ({ instancePath, message, params }) => `${what}${instancePath} ${message} (${JSON.stringify(params)})`,
  )
  return [...new Set(texts)].slice(0, 10)
}
