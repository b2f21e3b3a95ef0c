import { readFileSync } from 'node:fs'
import type { IncomingMessage } from 'node:http'
import { join } from 'node:path'
import { parse } from 'yaml'
import { projectRoot } from '../../project-root.ts'
import type { Reply } from '../gateway/reply.ts'
import type { TokenIssuer, TokenOptions } from '../issuer.ts'
import { linkedAdministratorId, sampleUsers } from '../../sample-data/users.ts'

/** @returns undefined for what is none of the pages */
export type Pages = (request: Pick<IncomingMessage, 'method' | 'url'>) => Promise<Reply | undefined>

/** Whom the page can call as: one per answer that is worth seeing. */
const callers: Record<string, TokenOptions> = {
  Administrator: {},
  'Administrator who signs in through Microsoft Entra ID': { sub: linkedAdministratorId },
  'Administrator who may only list': { scope: 'saml-providers:read' },
  'Disabled user': { sub: sampleUsers.find(user => user.is_disabled)?.id ?? '' },
  'Somebody with an expired token': { expiresInSeconds: -1 },
}

/** Everything comes from here, and nothing else may be loaded. */
const ownOnly =
  "default-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

/**
 * The page at /docs, made of infra/openapi.yml; of the local stack alone. Files are read anew each time, so that an edit
 * shows when the page is loaded again.
 */
export function docs(tokenFor: TokenIssuer['tokenFor']): Pages {
  const tokens = async () => {
    const made = Object.entries(callers).map(async ([caller, options]) => ({
      caller,
      token: await tokenFor(options),
    }))
    return [...(await Promise.all(made)), { caller: 'Nobody', token: '' }]
  }
  const pages = new Map<string, [type: string, body: () => string | Promise<string>]>([
    ['/docs', ['text/html', () => file('page.html')]],
    ['/docs/', ['text/html', () => file('page.html')]],
    ['/docs/openapi.json', ['application/json', () => JSON.stringify(description())]],
    ['/docs/tokens.json', ['application/json', async () => JSON.stringify(await tokens())]],
  ])
  for (const name of ['page', 'try', 'view']) {
    pages.set(`/docs/${name}.css`, ['text/css', () => file(`${name}.css`)])
    pages.set(`/docs/${name}.js`, ['text/javascript', () => file(`${name}.js`)])
  }

  return async ({ method, url = '' }) => {
    const page = method === 'GET' || method === 'HEAD' ? pages.get(url.replace(/\?.*/, '')) : undefined
    if (page === undefined) return undefined
    const [type, body] = page
    const headers = {
      'Content-Type': `${type}; charset=utf-8`,
      'Cache-Control': 'no-store',
      'Content-Security-Policy': ownOnly,
      'X-Content-Type-Options': 'nosniff',
    }
    return { status: 200, headers: Object.entries(headers), body: await body() }
  }
}

const file = (name: string) => readFileSync(join(import.meta.dirname, name), 'utf8')

/** The description, of the deployment that this very stack is. */
const description = () => ({
  ...parse(readFileSync(join(projectRoot, 'infra', 'openapi.yml'), 'utf8')),
  servers: [{ url: '/', description: 'The local stack' }],
})
