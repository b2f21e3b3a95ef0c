import { samlProviderShape } from '../../lib/domain/resources.ts'
import { commonHeaders } from '../../lib/http/common-headers.ts'
import type { Answer, Ask } from './ask.ts'

/** One check; it returns its finding, or throws an Error that says what is wrong and where to look. */
export interface Check {
  name: string
  /** When this check fails, the others are not run. */
  needed?: true
  /** Every emulator ignores the templates of API Gateway's own answers. */
  onAwsOnly?: true
  run(): Promise<string>
}

export interface Target {
  ask: Ask
  /** The URL of the list. */
  listUrl: string
  token: string
}

const timedCalls = 10

/** All checks. They only read: no DELETE is sent. */
export function smokeChecks({ ask, listUrl, token }: Target): Check[] {
  let listed: Answer
  const list = (more = {}) => ask(listUrl, { authorization: `Bearer ${token}`, ...more })
  return [
    {
      name: 'list',
      needed: true,
      run: async () => {
        listed = await list()
        if (listed.status !== 200) throw new Error(refusal(listed))
        const providers = providersIn(listed)
        for (const [index, provider] of providers.entries()) checkProvider(provider, index)
        return `200, ${providers.length} providers, all fields in order`
      },
    },
    { name: 'headers', run: async () => checkHeaders(listed) },
    {
      name: 'compressed',
      run: async () => {
        const answer = await list({ 'accept-encoding': 'br, gzip' })
        providersIn(answer)
        const coding = answer.headers.get('Content-Encoding')
        return coding === null ? 'not compressed: this deployment offers neither br nor gzip' : coding
      },
    },
    {
      name: 'without a token',
      run: async () => expectProblem(await ask(listUrl), 401, 'credentials_missing'),
    },
    {
      name: 'with a wrong token',
      run: async () =>
        expectProblem(
          await ask(listUrl, { authorization: `Bearer ${withWrongSignature(token)}` }),
          401,
          'token_rejected',
        ),
    },
    {
      name: 'unknown route',
      onAwsOnly: true,
      run: async () => expectProblem(await ask(`${listUrl}/there-is-nothing-here`), 404, 'route_not_found'),
    },
    {
      name: 'latency',
      run: async () => {
        const took: number[] = []
        for (let call = 1; call <= timedCalls; call++) {
          const { status, tookMs } = await list()
          if (status !== 200) throw new Error(`call ${call} of ${timedCalls} was answered ${status}`)
          took.push(tookMs)
        }
        took.sort((a, b) => a - b)
        const [median = 0, slowest = 0] = [took[timedCalls / 2], took.at(-1)]
        return `${timedCalls} lists, one after the other: median ${Math.round(median)} ms, slowest ${Math.round(slowest)} ms`
      },
    },
  ]
}

function providersIn({ json }: Answer): unknown[] {
  const providers = (json as { data?: { saml_providers?: unknown } } | undefined)?.data?.saml_providers
  if (!Array.isArray(providers))
    throw new Error('200, but the body is not {"data":{"saml_providers":[…]}}: is this the right URL?')
  return providers
}

function checkProvider(provider: unknown, index: number) {
  const wanted = Object.keys(samlProviderShape).join(', ')
  const found = Object.keys(provider ?? {}).join(', ')
  if (found !== wanted) throw new Error(`provider ${index + 1} has the fields ${found}, and not ${wanted}`)
}

function checkHeaders({ headers }: Answer): string {
  const faults = Object.entries({ ...commonHeaders, 'Content-Type': 'application/json' })
    .filter(([name, value]) => headers.get(name) !== value)
    .map(([name]) => `${name} is ${headers.get(name) ?? 'missing'}`)
  if (headers.get('X-Request-Id') === null) faults.push('X-Request-Id is missing')
  if (!/^@\d+$/.test(headers.get('Deprecation') ?? '')) faults.push('Deprecation is missing')
  if (!/rel="successor-version"/.test(headers.get('Link') ?? '')) faults.push('Link names no successor')
  if (faults.length > 0) throw new Error(faults.join('; '))
  return `complete; Sunset: ${headers.get('Sunset') ?? 'no date set'}`
}

function expectProblem({ status, headers, json }: Answer, wanted: number, code: string): string {
  const found = (json as { code?: unknown } | undefined)?.code
  if (status !== wanted || found !== code)
    throw new Error(`answered ${status} ${found ?? 'without a code'}, and not ${wanted} ${code}`)
  const type = headers.get('Content-Type')
  if (type !== 'application/problem+json') throw new Error(`the Content-Type is ${type}`)
  return `${status} ${code}`
}

const remedies: Record<string, string> = {
  token_rejected:
    "the deployment's log says why (event token_rejected): another issuer, audience, type, or too old",
  scope_missing: 'the token lacks the scope for this; give it another',
  provider_not_found: 'is it the table of this deployment?',
  route_not_found: 'is this the URL including the stage, such as https://….amazonaws.com/prod ?',
  endpoint_retired: 'the sunset has passed and is enforced: this deployment is switched off',
  issuer_unavailable: 'the functions cannot fetch the keys of the issuer',
  internal_error: "the functions' log says more (event unexpected_error)",
}

/** What an answer says that is not the one expected, and what to do about it. */
export function refusal({ status, json }: Answer): string {
  const code = (json as { code?: unknown } | undefined)?.code
  if (typeof code !== 'string')
    return `answered ${status}, and not as this service does: is this the right URL?`
  return `answered ${status} ${code}${code in remedies ? `: ${remedies[code]}` : ''}`
}

/** The token with another signature, still well-formed. */
function withWrongSignature(token: string): string {
  const at = token.lastIndexOf('.') + 1
  return `${token.slice(0, at)}${token[at] === 'A' ? 'B' : 'A'}${token.slice(at + 1)}`
}
