/**
 * The requested `wait`, from all `Prefer` lines of the request.
 *
 * @returns seconds ≥ 0 (decimals kept), or undefined without a valid `wait`
 * @see RFC 7240 §2 (grammar, first instance wins, unknown is ignored), §4.3 (`wait`)
 * @example
 * waitSeconds(['respond-async, wait=10']) // 10
 * waitSeconds(['wait=soon']) // undefined
 */
export function waitSeconds(lines: readonly string[]): number | undefined {
  for (const member of lines.flatMap(line => partsOf(line, listMembers))) {
    const [preference = ''] = partsOf(member, parameters)
    const [, name = '', value] = preference.trim().match(nameAndValue) ?? []
    if (name.toLowerCase() === 'wait') return seconds(value)
  }
  return undefined
}

// Parts between separators. A separator in quotes does not count; an unclosed quote extends to the end.
const listMembers = /(?:"(?:[^"\\]|\\.)*"?|[^",])+/g
const parameters = /(?:"(?:[^"\\]|\\.)*"?|[^";])+/g
const nameAndValue = /^([!#$%&'*+.^_`|~\w-]+)(?:[ \t]*=[ \t]*(.*))?$/
const decimal = /^\d+(?:\.\d+)?$/

const partsOf = (text: string, parts: RegExp): string[] => text.match(parts) ?? []

function seconds(value = ''): number | undefined {
  const plain = /^".*"$/.test(value) ? value.slice(1, -1).replace(/\\(.)/g, '$1') : value
  return decimal.test(plain) ? Number(plain) : undefined
}
