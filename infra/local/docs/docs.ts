import { readFileSync } from 'node:fs'
import type { IncomingMessage } from 'node:http'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { parse } from 'yaml'
import { isOwnHost } from '../../listen.ts'
import { projectRoot } from '../../project-root.ts'
import { disabledUserId, linkedAdministratorId, sampleProviders } from '../../sample-data/sample-data.ts'
import type { Reply } from '../gateway/reply.ts'
import type { TokenIssuer, TokenOptions } from '../issuer.ts'
import type { StartedTable } from '../table.ts'

const require = createRequire(import.meta.url)

/** The callers that the page offers, one for each kind of answer, with what each may do; the last one has no token. */
const callers: { caller: string; may: string; options: TokenOptions | undefined }[] = [
  { caller: 'Administrator', may: 'list and remove', options: {} },
  {
    caller: 'Administrator who signs in through Microsoft Entra ID',
    may: 'list, and remove every provider but that one (409 own_provider)',
    options: { sub: linkedAdministratorId },
  },
  {
    caller: 'Administrator who may only list',
    may: 'list, but not remove (403 scope_missing)',
    options: { scope: 'saml-providers:read' },
  },
  { caller: 'Disabled user', may: 'nothing (403 caller_disabled)', options: { sub: disabledUserId } },
  { caller: 'Expired token', may: 'nothing (401 token_rejected)', options: { expiresInSeconds: -1 } },
  { caller: 'No token', may: 'nothing (401 credentials_missing)', options: undefined },
]

const headers: Reply['headers'] = [
  ['Cache-Control', 'no-store'],
  // Only files of this server may be loaded; `data:` is for the icons of the library's style sheet.
  [
    'Content-Security-Policy',
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  ],
  ['Cross-Origin-Resource-Policy', 'same-origin'],
  ['X-Content-Type-Options', 'nosniff'],
]

/**
 * The page at /docs: Swagger UI with infra/openapi.yml, which sends requests as a selectable caller. Only the local stack
 * has it. Files are read for each request, so that a reload of the page shows an edit.
 *
 * The page contains tokens, so it answers only when `Host` is this machine.
 *
 * @param table resolves when the stack has started it
 * @returns undefined for a request for any other path
 */
export function docs(tokenFor: TokenIssuer['tokenFor'], table: Promise<StartedTable>) {
  const own = (name: string) => readFileSync(join(import.meta.dirname, name))
  const library = dirname(require.resolve('swagger-ui-dist'))
  const ofLibrary = (name: string) => readFileSync(join(library, name))
  const tokens = () =>
    Promise.all(
      callers.map(async ({ caller, may, options }) => ({
        caller,
        may,
        token: options === undefined ? '' : await tokenFor(options),
      })),
    )
  const stack = async () => {
    const { place, contents } = await table
    return { place, ...contents, providers: contents.hasSampleData ? sampleProviders() : [] }
  }
  const files = new Map<string, [type: string, read: () => Reply['body'] | Promise<Reply['body']>]>([
    ['/docs', ['text/html', () => own('page.html')]],
    ['/docs/page.js', ['text/javascript', () => own('page.js')]],
    ['/docs/page.css', ['text/css', () => own('page.css')]],
    ['/docs/swagger-ui-bundle.js', ['text/javascript', () => ofLibrary('swagger-ui-bundle.js')]],
    ['/docs/swagger-ui.css', ['text/css', () => ofLibrary('swagger-ui.css')]],
    ['/docs/openapi.json', ['application/json', () => JSON.stringify(description())]],
    ['/docs/clients.md', ['text/plain', () => readFileSync(join(projectRoot, 'infra', 'clients.md'))]],
    ['/docs/stack.json', ['application/json', async () => JSON.stringify(await stack())]],
    ['/docs/tokens.json', ['application/json', async () => JSON.stringify(await tokens())]],
  ])

  return async ({
    method = '',
    url = '',
    headers: { host = '' },
  }: Pick<IncomingMessage, 'method' | 'url' | 'headers'>): Promise<Reply | undefined> => {
    if (!/^(GET|HEAD)$/.test(method) || !isOwnHost(host)) return undefined
    const [path = ''] = url.split('?')
    if (path === '/' || path === '/docs/') return { status: 302, headers: [['Location', '/docs']], body: '' }
    const [type, read] = files.get(path) ?? []
    if (read === undefined) return undefined
    const contentType: [string, string] = ['Content-Type', `${type}; charset=utf-8`]
    return { status: 200, headers: [contentType, ...headers], body: await read() }
  }
}

/** The API description with the local stack as its server. */
const description = () => ({
  ...parse(readFileSync(join(projectRoot, 'infra', 'openapi.yml'), 'utf8')),
  servers: [{ url: '/', description: 'The local stack' }],
})
