/** The zero time, the document's value for an absent time. */
export const zeroTime = '0001-01-01T00:00:00Z'

/** The last time that has four digits for its year, in seconds since the Unix epoch. */
export const lastTimeSeconds = Date.UTC(9999, 11, 31, 23, 59, 59) / 1000

const isoForm =
  /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,9})?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/
/** Of these times, only those in milliseconds and `Z` have this length. */
const canonicalLength = '2026-01-31T09:30:00.000Z'.length

/**
 * The canonical form of a stored time: ISO 8601 UTC with milliseconds.
 *
 * @param stored date, time to the second and zone are required; the fraction may have up to nine digits
 * @returns undefined for anything else, such as a day that does not exist
 * @see RFC 3339 §5.6 (the grammar), without its lower-case letters and without leap seconds
 * @example
 * isoTime('2026-01-31T09:30:00+01:00') // '2026-01-31T08:30:00.000Z'
 * isoTime('2024-02-30T00:00:00Z') // undefined
 */
export function isoTime(stored: unknown): string | undefined {
  if (typeof stored !== 'string' || !isoForm.test(stored) || !isDay(stored)) return undefined
  if (stored.length === canonicalLength) return stored
  const time = new Date(stored).toISOString()
  // With its zone, a time can be outside the four-digit years.
  return time.length === canonicalLength ? time : undefined
}

/** Whether the day exists: Date parses 30 February as 1 March. */
const isDay = (time: string) => {
  const day = Number(time.slice(8, 10))
  return day <= 28 || new Date(time.slice(0, 10)).getUTCDate() === day
}
