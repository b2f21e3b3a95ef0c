import { InvalidArgumentError } from '@commander-js/extra-typings'
import { parseProviderId } from '../../lib/domain/provider.ts'
import { isUserId } from '../../lib/domain/user-id.ts'

/**
 * Reads a URL from an environment variable.
 *
 * @returns undefined for an absent or empty value
 * @throws Error of one sentence
 */
export function urlIn(name: string): string | undefined {
  const { [name]: text = '' } = process.env
  if (text === '') return undefined
  if (!/^https?:/.test(text) || !URL.canParse(text)) throw new Error(`${name} must be a URL, not "${text}".`)
  return text
}

/** The parser of an option for a whole number. An empty value counts as absent. */
export const wholeNumber =
  (least: number, most: number) =>
  (text: string, usual?: number): number => {
    if (text === '' && usual !== undefined) return usual
    const number = /^\d{1,9}$/.test(text) ? Number(text) : -1
    if (number < least || number > most)
      throw new InvalidArgumentError(`It must be a whole number from ${least} to ${most}.`)
    return number
  }

/** @param least 0 when 0 selects any free port, else 1 */
export const portNumber = (least: 0 | 1) => wholeNumber(least, 65_535)

export function providerId(text: string): number {
  const id = parseProviderId(text)
  if (id === undefined) throw new InvalidArgumentError('It must be a number such as 7.')
  return id
}

export function userId(text: string): string {
  if (!isUserId(text)) throw new InvalidArgumentError('It must be a UUID in lower case.')
  return text
}
