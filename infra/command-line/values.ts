/**
 * A URL that was typed, or set in an environment variable.
 *
 * @param name of the option or variable
 * @returns undefined when there is none
 * @throws Error of one sentence
 */
export function readUrl(name: string, example: string, text: string | undefined): string | undefined {
  if (text === undefined || text === '') return undefined
  if (!URL.canParse(text) || !/^https?:/.test(text))
    throw new Error(`${name} must be a URL such as ${example}, and is "${text}".`)
  return text
}

/**
 * A TCP port.
 *
 * @param least 0 where any free port will do, else 1
 * @throws Error of one sentence
 */
export function readPort(name: string, text: string, least: 0 | 1): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : -1
  if (port < least || port > 65_535)
    throw new Error(`${name} must be a number from ${least} to 65535, and is "${text}".`)
  return port
}
