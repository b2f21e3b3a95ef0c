import { readFileSync } from 'node:fs'
import type { IncomingMessage } from 'node:http'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { parse } from 'yaml'
import { projectRoot } from '../../project-root.ts'
import type { Reply } from '../gateway/reply.ts'
import type { TokenIssuer } from '../issuer.ts'
import { tokensOf } from './callers.ts'

const require = createRequire(import.meta.url)

type Body = () => string | Buffer | Promise<string>

/** Only files of this server may be loaded; `data:` is for the icons of the library's style sheet. */
const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

/**
 * The page at /docs: Swagger UI with infra/openapi.yml, which sends requests as a selectable caller. Only the local stack
 * has it. Files are read for each request, so that a reload of the page shows an edit.
 *
 * The page contains tokens, so it answers only when `Host` is this machine: a page of another host whose name resolves to
 * this machine (DNS rebinding) sends that name as `Host`.
 *
 * @returns undefined for a request for any other path
 */
export function docs(tokenFor: TokenIssuer['tokenFor']) {
  const html: [string, Body] = ['text/html', () => own('page.html')]
  const files: Record<string, [type: string, body: Body]> = {
    '/docs': html,
    '/docs/': html,
    '/docs/page.js': ['text/javascript', () => own('page.js')],
    '/docs/page.css': ['text/css', () => own('page.css')],
    '/docs/swagger-ui.js': [
      'text/javascript',
      () => readFileSync(require.resolve('swagger-ui-dist/swagger-ui-bundle.js')),
    ],
    '/docs/swagger-ui.css': [
      'text/css',
      () => readFileSync(require.resolve('swagger-ui-dist/swagger-ui.css')),
    ],
    '/docs/openapi.json': ['application/json', () => JSON.stringify(description())],
    '/docs/tokens.json': ['application/json', async () => JSON.stringify(await tokensOf(tokenFor))],
  }

  return async (request: Pick<IncomingMessage, 'method' | 'url' | 'headers'>): Promise<Reply | undefined> => {
    const { method = '', url = '', headers } = request
    if (!/^(GET|HEAD)$/.test(method) || !ownHost.test(headers.host ?? '')) return undefined
    const [path = ''] = url.split('?')
    if (path === '/') return { status: 302, headers: [['Location', '/docs']], body: '' }
    if (!Object.hasOwn(files, path)) return undefined
    const [type, body] = files[path] as (typeof files)[string]
    return {
      status: 200,
      headers: [
        ['Content-Type', `${type}; charset=utf-8`],
        ['Cache-Control', 'no-store'],
        ['Content-Security-Policy', contentSecurityPolicy],
        ['Cross-Origin-Resource-Policy', 'same-origin'],
        ['Referrer-Policy', 'no-referrer'],
        ['X-Content-Type-Options', 'nosniff'],
      ],
      body: await body(),
    }
  }
}

const ownHost = /^(127\.0\.0\.1|localhost)(:\d+)?$/i

const own = (name: string) => readFileSync(join(import.meta.dirname, name))

/** The API description with the local stack as its server. */
const description = () => ({
  ...parse(readFileSync(join(projectRoot, 'infra', 'openapi.yml'), 'utf8')),
  servers: [{ url: '/', description: 'The local stack' }],
})
