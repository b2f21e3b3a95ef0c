import { readFileSync } from 'node:fs'
import type { IncomingMessage } from 'node:http'
import { createRequire } from 'node:module'
import { basename, dirname, extname, join } from 'node:path'
import { parse } from 'yaml'
import { projectRoot } from '../../project-root.ts'
import type { Reply } from '../gateway/reply.ts'
import type { TokenIssuer } from '../issuer.ts'
import { tokensOf } from './callers.ts'

const require = createRequire(import.meta.url)

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
  const page = () => own('page.html')
  const files = new Map<string, (path: string) => Reply['body'] | Promise<Reply['body']>>([
    ['/docs', page],
    ['/docs/', page],
    ['/docs/page.js', own],
    ['/docs/page.css', own],
    ['/docs/swagger-ui-bundle.js', library],
    ['/docs/swagger-ui.css', library],
    ['/docs/openapi.json', () => JSON.stringify(description())],
    ['/docs/tokens.json', async () => JSON.stringify(await tokensOf(tokenFor))],
  ])

  return async (request: Pick<IncomingMessage, 'method' | 'url' | 'headers'>): Promise<Reply | undefined> => {
    const { method = '', url = '', headers } = request
    if (!/^(GET|HEAD)$/.test(method) || !ownHost.test(headers.host ?? '')) return undefined
    const [path = ''] = url.split('?')
    if (path === '/') return { status: 302, headers: [['Location', '/docs']], body: '' }
    const read = files.get(path)
    if (read === undefined) return undefined
    return {
      status: 200,
      headers: [
        ['Content-Type', `${types[extname(path)] ?? 'text/html'}; charset=utf-8`],
        ['Cache-Control', 'no-store'],
        ['Content-Security-Policy', contentSecurityPolicy],
        ['Cross-Origin-Resource-Policy', 'same-origin'],
        ['Referrer-Policy', 'no-referrer'],
        ['X-Content-Type-Options', 'nosniff'],
      ],
      body: await read(path),
    }
  }
}

const ownHost = /^(127\.0\.0\.1|localhost)(:\d+)?$/i

const types: Record<string, string> = {
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.json': 'application/json',
}

const filesOf = (folder: string) => (path: string) => readFileSync(join(folder, basename(path)))
const own = filesOf(import.meta.dirname)
const library = filesOf(dirname(require.resolve('swagger-ui-dist')))

/** The API description with the local stack as its server. */
const description = () => ({
  ...parse(readFileSync(join(projectRoot, 'infra', 'openapi.yml'), 'utf8')),
  servers: [{ url: '/', description: 'The local stack' }],
})
