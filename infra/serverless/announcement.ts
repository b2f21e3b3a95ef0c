/** The variables of a packaged function that hold its deprecation; see lib/config.ts. */
interface Variables {
  DEPRECATED_AT: string
  SUNSET_AT?: string
  SUNSET_ENFORCED?: string
}

/**
 * What the deployment's answers announce, in one sentence.
 *
 * @param chosen whether the date of the deprecation was named for this deployment, rather than left at its default
 */
export function announcementOf(variables: Variables, chosen: boolean): string {
  const { DEPRECATED_AT, SUNSET_AT, SUNSET_ENFORCED } = variables
  const since = chosen
    ? DEPRECATED_AT
    : `${DEPRECATED_AT}, which is the default and nobody's choice (--param deprecatedAt=TIME sets it)`
  const enforced = SUNSET_ENFORCED === 'true' ? ', enforced' : ''
  const sunset = SUNSET_AT === undefined ? 'no sunset date' : `sunset at ${SUNSET_AT}${enforced}`
  return `The answers announce: deprecated since ${since}; ${sunset}.`
}
