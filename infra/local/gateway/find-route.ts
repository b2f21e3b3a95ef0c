import type { Route } from '../../serverless/service-definition.ts'

interface Found {
  route: Route
  /** The values of the route's variables, not decoded. */
  pathParameters: Record<string, string>
}

/**
 * The route of a request. Paths are compared without decoding: `%2F` does not separate segments, and `#`, `.` and `..` have
 * no meaning.
 *
 * @param target path and query of the request line
 * @returns undefined when no route has this path and method
 */
export function findRoute(routes: readonly Route[], method: string, target: string): Found | undefined {
  const [path = ''] = target.split('?')
  for (const route of routes) {
    const pathParameters = variablesOf(`/${route.path}`.split('/'), path.split('/'))
    if (route.method.toUpperCase() === method && pathParameters !== undefined)
      return { route, pathParameters }
  }
  return undefined
}

/** @returns undefined when the segments do not match the route */
function variablesOf(wanted: string[], segments: string[]): Record<string, string> | undefined {
  const pairs = wanted.map((name, index) => [name, segments[index] ?? ''] as const)
  const fits = pairs.every(([name, segment]) => (isVariable(name) ? segment !== '' : name === segment))
  if (!fits || wanted.length !== segments.length) return undefined
  return Object.fromEntries(
    pairs.filter(([name]) => isVariable(name)).map(([name, segment]) => [name.slice(1, -1), segment]),
  )
}

const isVariable = (name: string) => name.startsWith('{')
