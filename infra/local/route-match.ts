import type { Route } from '../serverless/service-definition.ts'

/**
 * The request's target if it names a route, as it is to be passed on.
 *
 * Routes are matched as written, before anything is decoded, so that `%2F` stays inside its segment. A segment that
 * cannot be decoded, or would lead elsewhere, is passed on as plain text, for the function to refuse like any other.
 *
 * @returns undefined when there is no such path, or not for this method
 */
export function matchRoute(routes: Route[], method = '', target = ''): string | undefined {
  const [path = '', ...query] = target.replace(/^https?:\/\/[^/?]*/i, '').split('?')
  const segments = path.split('/').slice(1)
  const found = routes.some(
    route => route.method.toUpperCase() === method && fits(route.path.split('/'), segments),
  )
  if (!path.startsWith('/') || !found) return undefined
  return [`/${segments.map(decodable).join('/')}`, ...query].join('?')
}

const fits = (wanted: string[], segments: string[]) =>
  wanted.length === segments.length &&
  wanted.every((one, index) => (one.startsWith('{') ? segments[index] !== '' : one === segments[index]))

/** What a URL parser on the way would take for a step up or nowhere. */
const dots = /^(\.|%2e){1,2}$/i

function decodable(segment: string): string {
  const ascii = segment.replace(
    /[^\x21-\x7e]/g,
    byte => `%${byte.charCodeAt(0).toString(16).padStart(2, '0')}`,
  )
  if (dots.test(ascii)) return ascii.replaceAll('.', '%2e').replaceAll('%', '%25')
  try {
    decodeURIComponent(ascii)
    return ascii
  } catch {
    return ascii.replaceAll('%', '%25')
  }
}
