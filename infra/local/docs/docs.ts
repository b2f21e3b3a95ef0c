import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { parse } from 'yaml'
import { isOwnHost } from '../../listen.ts'
import { projectRoot } from '../../project-root.ts'
import { disabledUserId, linkedAdministratorId } from '../../sample-data/sample-data.ts'
import { endpointUrls } from '../../serverless/service-definition.ts'
import type { Asked } from '../gateway/asked.ts'
import type { Reply } from '../gateway/reply.ts'
import type { TokenIssuer, TokenOptions } from '../issuer.ts'
import type { LocalTable } from '../table.ts'

const require = createRequire(import.meta.url)

/** The callers that the page offers, one for each kind of answer, with what each may do; the last one has no token. */
const callers: [caller: string, may: string, options?: TokenOptions][] = [
  ['Administrator', 'list and remove', {}],
  ['User of Entra ID', 'list, and remove others (409 own_provider)', { sub: linkedAdministratorId }],
  ['Reader', 'list, but not remove (403 scope_missing)', { scope: 'saml-providers:read' }],
  ['Disabled user', 'do nothing (403 caller_disabled)', { sub: disabledUserId }],
  ['Expired token', 'do nothing (401 token_rejected)', { expiresInSeconds: -1 }],
  ['No token', 'do nothing (401 credentials_missing)'],
]

const safe = {
  'Cache-Control': 'no-store',
  // Only files of this server may be loaded; `data:` is for the icons of Swagger UI.
  'Content-Security-Policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'Cross-Origin-Resource-Policy': 'same-origin',
  'X-Content-Type-Options': 'nosniff',
}

/**
 * The page at /docs: a picture of the table, three requests to send, and the API description by Swagger UI. Only the local
 * service has it. Files are read for each request, so that a reload of the page shows an edit. It contains tokens, so it
 * answers only when it is asked by a name of this machine.
 *
 * @returns undefined for a request for any other path
 */
export function docs(tokenFor: TokenIssuer['tokenFor'], started: Promise<LocalTable>) {
  const library = dirname(require.resolve('swagger-ui-dist'))
  const json = (read: () => unknown) =>
    ['application/json', async () => JSON.stringify(await read())] as const
  const file = (type: string, name: string, folder = import.meta.dirname) =>
    [`text/${type}`, async () => readFileSync(join(folder, name))] as const
  const withToken = async ([caller, may, options]: (typeof callers)[number]) => {
    return options === undefined
      ? { caller, may }
      : { caller, may, token: await tokenFor(options), command: commandFor(options) }
  }
  const files = {
    '/docs': file('html', 'page.html'),
    '/docs/page.js': file('javascript', 'page.js'),
    '/docs/page.css': file('css', 'page.css'),
    '/docs/swagger-ui-bundle.js': file('javascript', 'swagger-ui-bundle.js', library),
    '/docs/swagger-ui.css': file('css', 'swagger-ui.css', library),
    '/docs/openapi.json': json(description),
    '/docs/service.json': json(async () => {
      const { place, data, providers } = await started
      return { place, data, providers: await providers(), ...endpointUrls('') }
    }),
    '/docs/callers.json': json(() => Promise.all(callers.map(withToken))),
  }
  return async ({ method, target, host }: Asked): Promise<Reply | undefined> => {
    if (!/^(GET|HEAD)$/.test(method) || !isOwnHost(host)) return undefined
    const [path = ''] = target.split('?')
    if (path === '/') return { status: 302, headers: [['Location', '/docs']], body: '' }
    if (!Object.hasOwn(files, path)) return undefined
    const [type, read] = files[path as keyof typeof files]
    const headers = Object.entries({ 'Content-Type': `${type}; charset=utf-8`, ...safe })
    return { status: 200, headers, body: await read() }
  }
}

/** The command that prints a token with these options; none prints one that has expired. */
const commandFor = ({ sub, scope, expiresInSeconds }: TokenOptions) => {
  if (expiresInSeconds !== undefined) return undefined
  const words = [sub && `-- --sub ${sub}`, scope && `-- --scope ${scope}`]
  return ['npm run --silent token', ...words].filter(Boolean).join(' ')
}

/** The API description with the local service as its server. */
const description = () => {
  const text = readFileSync(join(projectRoot, 'infra', 'openapi.yml'), 'utf8')
  return { ...parse(text), servers: [{ url: '/', description: 'The local service' }] }
}
