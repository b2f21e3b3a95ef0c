import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'
import { projectRoot } from '../../infra/project-root.ts'

export interface Schema {
  type?: string
  format?: string
  properties?: Record<string, Schema>
  required?: string[]
  additionalProperties?: boolean
  items?: Schema
  enum?: string[]
}

type Headers = Record<string, { required?: boolean; schema: Schema; example?: unknown }>

interface Operation {
  deprecated: boolean
  description: string
  security: { bearer: string[] }[]
  responses: Record<string, DescribedResponse>
}

interface DescribedResponse {
  description: string
  headers?: Headers
  content: Record<string, { schema: Schema; examples?: Record<string, { value: Record<string, unknown> }> }>
}

export const text = readFileSync(join(projectRoot, 'infra', 'openapi.yml'), 'utf8')
const source = parse(text)

/** infra/openapi.yml with every `$ref` resolved; none is circular, and none has other members beside it. */
const description = resolved(source) as {
  info: { version: string }
  servers: { variables: Record<string, object> }[]
  paths: Record<string, Record<string, Operation>>
  components: {
    parameters: object
    headers: Headers
    schemas: Record<string, Schema>
    responses: Record<string, DescribedResponse>
  }
}
export const { info, servers, components } = description

function resolved(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(resolved)
  if (typeof node !== 'object' || node === null) return node
  if ('$ref' in node) {
    const [, ...names] = String(node.$ref).split('/')
    return resolved(names.reduce((inner, name) => inner[name], source))
  }
  return Object.fromEntries(Object.entries(node).map(([name, inner]) => [name, resolved(inner)]))
}

/** The operations by method and path, such as `GET /path`. */
export const operations = Object.fromEntries(
  Object.entries(description.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { responses, ...operation }]) => [
      `${method.toUpperCase()} ${path}`,
      { ...operation, responses: withSharedHeaders(responses) },
    ]),
  ),
)

/** Responses with all their headers: errors list those that a 200 has not, but an unknown route all that it has. */
function withSharedHeaders(responses: Operation['responses']): Operation['responses'] {
  const { 'Content-Encoding': _, ...shared } = responses['200']?.headers ?? {}
  return Object.fromEntries(
    Object.entries(responses).map(([status, { headers = {}, ...response }]) => {
      const all = 'X-Request-Id' in headers ? headers : { ...shared, ...headers }
      return [status, { ...response, headers: all }]
    }),
  )
}

export type Response = ReturnType<typeof withContent>

/** A response with its only content and the values of its examples. @throws Error when it has none */
export function withContent({ description, headers = {}, content }: DescribedResponse) {
  const [[type, { schema, examples }]] = Object.entries(content) as [[string, (typeof content)[string]]]
  if (examples === undefined) throw new Error(`give "${description}" an example in infra/openapi.yml`)
  return { headers, type, schema, examples: Object.values(examples).map(({ value }) => value) }
}

/** The responses of all operations. */
export const responses = Object.entries(operations).flatMap(([name, operation]) =>
  Object.entries(operation.responses).map(([status, response]) => ({
    ...{ name: `${name} → ${status}`, status: Number(status) },
    ...withContent(response),
  })),
)
