/** @returns the values in `--param NAME=VALUE` by name. @throws Error of one sentence about the first that is malformed */
export function readParamOptions(param: readonly string[]): Map<string, string> {
  const empty = param.find(text => /^\w+=$/.test(text))
  if (empty !== undefined)
    throw new Error(`The framework takes no empty value: write --param "${empty} ", with a space.`)
  const malformed = param.find(text => !/^\w+=.+$/.test(text)) // the framework reads the first line alone
  if (malformed !== undefined)
    throw new Error(`--param "${malformed}" is not of the form NAME=VALUE, on one line.`)
  return new Map(param.map(text => [text.replace(/=.*/, ''), text.replace(/^\w+=/, '')]))
}
