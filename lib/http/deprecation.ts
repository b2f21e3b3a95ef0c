import type { Config } from '../config.ts'
import type { SamlProvider } from '../domain/resources.ts'

/**
 * The headers that name the successor and the dates of the deprecation.
 *
 * @see RFC 9745 (Deprecation), RFC 8594 (Sunset), RFC 5829 §3.3 (successor-version)
 */
export function deprecationHeaders(
  deprecation: Config['deprecation'],
  provider?: SamlProvider,
): Record<string, string> {
  const { deprecatedAtMs, sunsetAtMs, documentationUrl, successorPath } = deprecation
  const links = [`<${successorPath}>; rel="successor-version"`]
  if (provider?.sso_provider_id.valid)
    links.push(`<${successorPath}/${provider.sso_provider_id.int32}>; rel="successor-version"`)
  if (documentationUrl !== undefined) links.push(`<${documentationUrl}>; rel="deprecation"; type="text/html"`)
  return {
    Deprecation: `@${Math.floor(deprecatedAtMs / 1000)}`,
    ...(sunsetAtMs !== undefined && { Sunset: new Date(sunsetAtMs).toUTCString() }),
    Link: links.join(', '),
  }
}
