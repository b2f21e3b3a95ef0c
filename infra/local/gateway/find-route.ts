import type { Route } from '../../serverless/service-definition.ts'

interface Found {
  route: Route
  /** The segments that stand for the route's variables, as they came. */
  pathParameters: Record<string, string>
}

/**
 * The route of a request. Paths are compared as they came: nothing is decoded, so `%2F` stays inside its segment, and
 * `#`, `.` and `..` mean nothing.
 *
 * @param target of the request line: path and query, or a whole URL
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

/** @returns undefined when the segments are not those that the route wants */
function variablesOf(wanted: string[], segments: string[]): Record<string, string> | undefined {
  const pairs = wanted.map((name, index) => [name, segments[index] ?? ''] as const)
  const fits = pairs.every(([name, segment]) => (isVariable(name) ? segment !== '' : name === segment))
  if (!fits || wanted.length !== segments.length) return undefined
  return Object.fromEntries(
    pairs.filter(([name]) => isVariable(name)).map(([name, segment]) => [name.slice(1, -1), segment]),
  )
}

const isVariable = (name: string) => name.startsWith('{')
