import { print } from '../command-line/output.ts'
import { endpointUrls } from '../serverless/service-definition.ts'

interface Target {
  listUrl: string
  token: string
  /** Emulators answer an unknown route in their own way: it is not asked for. */
  isEmulated?: boolean
  log?: (line: string) => void
}

interface Body {
  code?: string
  data?: { saml_providers?: unknown }
}

const retired = '410 endpoint_retired'

/**
 * Sends five requests, and logs a line for each. They only read: the DELETE has no token, and names no possible provider.
 * A stage that is retired answers 410 to a token with the right, and refuses other requests as ever.
 *
 * @returns whether each answer is the one that is documented
 */
export async function smoke({ listUrl, token, isEmulated = false, log = print }: Target): Promise<boolean> {
  const { deleteUrl } = endpointUrls(listUrl.slice(0, -endpointUrls('').listUrl.length))
  let isHealthy = true
  const check = async (name: string, request: Request, wanted: string, other = wanted) => {
    const seen = await answerTo(request)
    const isRight = seen.startsWith(wanted) || seen === other
    log(`${isRight ? 'ok  ' : 'FAIL'} ${name.padEnd(20)} ${seen}${isRight ? '' : `, and not ${wanted}`}`)
    isHealthy &&= isRight
    return seen
  }
  const withToken = (value: string) => new Request(listUrl, { headers: { authorization: `Bearer ${value}` } })
  const list = await check('list', withToken(token), '200 with a list', retired)
  await check('list without a token', new Request(listUrl), '401 credentials_missing')
  await check('list, wrong token', withToken(withWrongSignature(token)), '401 token_rejected')
  const remove = new Request(`${deleteUrl}0`, { method: 'DELETE' })
  await check('remove without token', remove, '401 credentials_missing')
  if (!isEmulated) await check('unknown route', new Request(`${listUrl}/unknown`), '404 route_not_found')
  const state = list === retired ? 'retired' : 'healthy'
  log(`${listUrl} is ${isHealthy ? state : 'not healthy'}.`)
  return isHealthy
}

/** The answer in short: its status, and the code of a problem or the length of the list. */
async function answerTo(request: Request): Promise<string> {
  try {
    // A redirection is not followed: the token must not be sent to another host.
    const response = await fetch(request, { redirect: 'manual', signal: AbortSignal.timeout(30_000) })
    const body = (await response.json().catch(() => undefined)) as Body | undefined
    const list = body?.data?.saml_providers
    if (response.status !== 200 || !Array.isArray(list))
      return `${response.status} ${body?.code ?? 'without a code'}`
    return `200 with a list: ${list.length === 0 ? 'no provider. Is it the right table?' : `${list.length} providers`}`
  } catch (error) {
    const { message, cause } = error as Error & { cause?: NodeJS.ErrnoException }
    return `no answer (${cause?.code ?? message})`
  }
}

/** The token with another signature, still well-formed. */
function withWrongSignature(token: string): string {
  const at = token.lastIndexOf('.') + 1
  return `${token.slice(0, at)}${token[at] === 'A' ? 'B' : 'A'}${token.slice(at + 1)}`
}
