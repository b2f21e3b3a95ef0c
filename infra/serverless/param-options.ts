/** @returns the names in `--param NAME=VALUE`. @throws Error of one sentence about the first that is malformed */
export function namesIn(param: readonly string[]): string[] {
  const empty = param.find(text => /^\w+=$/.test(text))
  if (empty !== undefined)
    throw new Error(`The framework takes no empty value: write --param "${empty} ", with a space.`)
  const malformed = param.find(text => !/^\w+=.+$/.test(text)) // the framework reads the first line alone
  if (malformed !== undefined)
    throw new Error(`--param "${malformed}" is not of the form NAME=VALUE, on one line.`)
  return param.map(text => text.split('=', 1)[0] ?? '')
}
