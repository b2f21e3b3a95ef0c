/**
 * Reads a URL from an option or an environment variable.
 *
 * @param name of the option or variable
 * @returns undefined for an absent or empty value
 * @throws Error of one sentence
 */
export function readUrl(name: string, example: string, text: string | undefined): string | undefined {
  if (text === undefined || text === '') return undefined
  if (!URL.canParse(text) || !/^https?:/.test(text))
    throw new Error(`${name} must be a URL such as ${example}, not "${text}".`)
  return text
}

/**
 * Reads a TCP port.
 *
 * @param least 0 when 0 selects any free port, else 1
 * @throws Error of one sentence
 */
export function readPort(name: string, text: string, least: 0 | 1): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : -1
  if (port < least || port > 65_535)
    throw new Error(`${name} must be a number from ${least} to 65535, not "${text}".`)
  return port
}
