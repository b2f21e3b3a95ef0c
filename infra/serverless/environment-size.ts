/** Lambda's quota for the environment variables of one function, 4 KB ("Lambda quotas"). */
const bytesMax = 4096

interface Resource {
  Type: string
  Properties?: { FunctionName?: string; Environment?: { Variables?: Record<string, unknown> } }
}

/**
 * Checks that the environment variables of each function are within Lambda's quota.
 *
 * Lambda measures names and values as one JSON object in UTF-8, with its quotes and escapes; its refusal shows that text
 * ("String measured"). A reference of CloudFormation counts as nothing, because only AWS knows its value; the text around
 * it counts.
 *
 * @param resources of the template
 * @throws Error of one sentence
 */
export function checkEnvironment(resources: Record<string, Resource>): void {
  for (const [id, { Type, Properties = {} }] of Object.entries(resources)) {
    if (Type !== 'AWS::Lambda::Function') continue
    const { FunctionName = id, Environment: { Variables = {} } = {} } = Properties
    const texts = Object.entries(Variables).map(([name, value]): [string, string] => [name, knownText(value)])
    const bytes = bytesOf(Object.fromEntries(texts))
    if (bytes <= bytesMax) continue
    const [largest = ''] = texts.reduce((one, other) => (bytesOf(other[1]) > bytesOf(one[1]) ? other : one))
    throw new Error(
      `The environment variables of ${FunctionName} have ${bytes} bytes as JSON, and Lambda allows ${bytesMax}: shorten ${largest}, the longest; infra/issuers.md says how.`,
    )
  }
}

const bytesOf = (value: unknown) => Buffer.byteLength(JSON.stringify(value))

/** The text of a value without the values of its references. */
function knownText(value: unknown): string {
  if (typeof value !== 'object' || value === null) return String(value)
  const { 'Fn::Sub': sub, 'Fn::Join': join } = value as {
    'Fn::Sub'?: unknown
    'Fn::Join'?: [string, unknown[]]
  }
  if (join !== undefined) return join[1].map(knownText).join(join[0])
  return sub === undefined ? '' : String([sub].flat()[0]).replace(/\$\{[^}]*}/g, '')
}
