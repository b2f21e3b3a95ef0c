import { samlProviderShape } from '../../lib/domain/resources.ts'
import { commonHeaders } from '../../lib/http/common-headers.ts'
import { print } from '../command-line/output.ts'
import { endpointUrls } from '../serverless/service-definition.ts'

interface Target {
  listUrl: string
  token: string
  /** Time limit of each answer. */
  timeoutMs?: number
  /** Emulators answer an unknown route in their own way: that check is skipped. */
  isEmulated?: boolean
  log?: (line: string) => void
}

/**
 * Runs every check and logs one line for each. It only reads: its DELETE has no token, and names no possible provider.
 *
 * @returns whether all passed
 */
export async function smoke({ listUrl, token, timeoutMs = 30_000, isEmulated, log = print }: Target) {
  const ask = askWithin(timeoutMs)
  const { deleteUrl } = endpointUrls(listUrl.slice(0, -endpointUrls('').listUrl.length))
  const checks: [name: string, answer: () => Promise<Answer>, read: (answer: Answer) => string][] = [
    ['list', () => ask(listUrl, token), list],
    ['list without a token', () => ask(listUrl), problem(401, 'credentials_missing')],
    ['list, wrong token', () => ask(listUrl, withWrongSignature(token)), problem(401, 'token_rejected')],
    ['remove without token', () => ask(`${deleteUrl}0`, '', 'DELETE'), problem(401, 'credentials_missing')],
    ['unknown route', () => ask(`${listUrl}/unknown`), problem(404, 'route_not_found')],
  ]
  let failed = 0
  for (const [name, answer, read] of isEmulated ? checks.slice(0, -1) : checks) {
    const say = (verdict: string, seen: string) => log(`${verdict} ${name.padEnd(20)} ${seen}`)
    try {
      say('ok  ', read(await answer()))
    } catch (error) {
      failed++
      say('FAIL', (error as Error).message)
      if (name === 'list') break // the others would say the same
    }
  }
  log(`${listUrl} is ${failed === 0 ? 'healthy' : 'not healthy'}.`)
  return failed === 0
}

interface Answer {
  status: number
  headers: Headers
  /** Undefined when the body is not JSON. */
  json?: { code?: string; detail?: string; data?: { saml_providers?: unknown } }
}

/** @throws Error of one sentence when there is no answer */
const askWithin =
  (timeoutMs: number) =>
  async (url: string, token = '', method = 'GET'): Promise<Answer> => {
    const headers = { 'accept-encoding': 'br, gzip', ...(token && { authorization: `Bearer ${token}` }) }
    try {
      // A redirection is not followed: the token must not be sent to another host.
      const options = { method, headers, redirect: 'manual', signal: AbortSignal.timeout(timeoutMs) } as const
      const response = await fetch(url, options)
      const body = await response.text()
      return { status: response.status, headers: response.headers, json: parsed(body) }
    } catch (error) {
      const { name, message, cause } = error as Error & { cause?: NodeJS.ErrnoException }
      if (name === 'TimeoutError') throw new Error(`${url} gave no answer within ${timeoutMs / 1000} s.`)
      throw new Error(`${url} cannot be reached, or its answer cannot be read (${cause?.code ?? message}).`)
    }
  }

function parsed(body: string) {
  try {
    return JSON.parse(body)
  } catch {
    return undefined
  }
}

function list(answer: Answer): string {
  const { headers, json } = answer
  const providers = json?.data?.saml_providers
  if (answer.status !== 200 || !Array.isArray(providers)) throw unexpected(answer, '200 with a list')
  const wanted = Object.keys(samlProviderShape).join(', ')
  const other = providers
    .map(provider => Object.keys(provider ?? {}).join(', '))
    .find(names => names !== wanted)
  if (other !== undefined) throw new Error(`A provider has the fields ${other}, and not ${wanted}.`)
  checkHeaders(headers, 'application/json')
  const coding = headers.get('Content-Encoding') ?? 'not compressed'
  return `200, ${providers.length} providers, ${coding}; Sunset: ${headers.get('Sunset') ?? 'no date set'}`
}

const problem = (status: number, code: string) => (answer: Answer) => {
  const { headers, json } = answer
  if (answer.status !== status || json?.code !== code) throw unexpected(answer, `${status} ${code}`)
  checkHeaders(headers, 'application/problem+json', code !== 'route_not_found')
  return `${status} ${code}`
}

function checkHeaders(headers: Headers, type: string, isDeprecated = true) {
  const found = (name: string) => headers.get(name) ?? 'missing'
  const faults = Object.entries({ ...commonHeaders, 'Content-Type': type }).flatMap(([name, value]) =>
    found(name) === value ? [] : [`${name} is ${found(name)}`],
  )
  if (found('X-Request-Id') === 'missing') faults.push('X-Request-Id is missing')
  if (isDeprecated && !/^@\d+$/.test(found('Deprecation'))) faults.push('Deprecation is missing')
  if (isDeprecated && !/"successor-version"/.test(found('Link'))) faults.push('Link names no successor')
  if (faults.length > 0) throw new Error(`${faults.join('; ')}.`)
}

/** Says what was answered instead: for a problem, in the service's own words for its clients. */
function unexpected({ status, json }: Answer, wanted: string): Error {
  const seen = json?.code === undefined ? 'is this the right URL?' : (json.detail ?? 'no detail')
  return new Error(`Answered ${[status, json?.code].join(' ').trim()}, and not ${wanted}: ${seen}`)
}

/** The token with another signature, still well-formed. */
function withWrongSignature(token: string): string {
  const at = token.lastIndexOf('.') + 1
  return `${token.slice(0, at)}${token[at] === 'A' ? 'B' : 'A'}${token.slice(at + 1)}`
}
