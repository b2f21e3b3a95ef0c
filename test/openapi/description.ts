import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'

export interface Schema {
  type?: string
  format?: string
  properties?: Record<string, Schema>
  required?: string[]
  additionalProperties?: boolean
  items?: Schema
  oneOf?: Schema[]
  enum?: string[]
  const?: unknown
}

interface Header {
  required?: boolean
  schema: Schema
  example?: unknown
}

interface Problem {
  title: string
  status: number
  detail: string
  code: string
}

export interface Response {
  headers: Record<string, Header>
  content: Record<string, { schema: Schema; examples: Record<string, { value: unknown }> }>
}

export interface Operation {
  deprecated: boolean
  description: string
  security: { bearer: string[] }[]
  responses: Record<string, Response>
}

interface Description {
  info: { version: string }
  paths: Record<string, Record<string, Operation>>
  components: { schemas: Record<string, Schema>; responses: Record<string, Response> }
}

const file = join(import.meta.dirname, '..', '..', 'infra', 'openapi.yml')
const source = parse(readFileSync(file, 'utf8'))

/** infra/openapi.yml with every `$ref` resolved; there are no circular ones. */
export const description = resolved(source) as Description

function resolved(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(resolved)
  if (typeof node !== 'object' || node === null) return node
  if ('$ref' in node) return resolved(at(String(node.$ref)))
  return Object.fromEntries(Object.entries(node).map(([name, inner]) => [name, resolved(inner)]))
}

function at(ref: string): unknown {
  const names = ref.replace(/^#\//, '').split('/')
  const found = names.reduce((node, name) => node?.[name], source)
  if (found === undefined) throw new Error(`infra/openapi.yml has no ${ref}`)
  return found
}

/** The operations by method and path, such as `GET /path`. */
export const operations: Record<string, Operation> = Object.fromEntries(
  Object.entries(description.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => [`${method.toUpperCase()} ${path}`, operation]),
  ),
)

/** The responses of all operations with their only content type. */
export const responses = Object.entries(operations).flatMap(([name, operation]) =>
  Object.entries(operation.responses).map(([status, response]) => {
    const [[type, content] = ['', undefined]] = Object.entries(response.content)
    if (content === undefined) throw new Error(`${name} → ${status} has no content`)
    return { name: `${name} → ${status}`, status: Number(status), type, response, ...content }
  }),
)

/** The example problems of a response. */
export const problemsOf = ({ type, examples }: (typeof responses)[number]) =>
  type === 'application/problem+json' ? Object.values(examples).map(({ value }) => value as Problem) : []
