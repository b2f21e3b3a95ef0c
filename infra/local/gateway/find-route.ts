import type { Route } from '../../serverless/service-definition.ts'

/**
 * The route of a request. Paths are compared without decoding: `%2F` does not separate segments, and `#`, `.` and `..` have
 * no meaning.
 *
 * @param target path and query of the request line
 * @returns the route and the values of its variables, not decoded; undefined when no route has this path and method
 */
export function findRoute(routes: readonly Route[], method: string, target: string) {
  const [path = ''] = target.split('?')
  for (const route of routes) {
    const pattern = route.path.replace(/\{(\w+)}/g, '(?<$1>[^/]+)')
    const match = new RegExp(`^/${pattern}$`).exec(path)
    if (match !== null && route.method.toUpperCase() === method)
      return { route, pathParameters: { ...match.groups } }
  }
  return undefined
}
