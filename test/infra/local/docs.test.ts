import { describe, expect, test } from 'vitest'
import { docs } from '../../../infra/local/docs/docs.ts'
import { openIssuer } from '../../../infra/local/issuer.ts'
import { operations } from '../../openapi/description.ts'

const served = docs((await openIssuer()).tokenFor)
const get = (url: string | undefined, host = '127.0.0.1:3000', method = 'GET') =>
  served({ method, url, headers: { host } })
const body = async (url: string) => String((await get(url))?.body)

/** The files that the page and its script load. */
const files = ['page.css', 'page.js', 'swagger-ui.css', 'swagger-ui-bundle.js', 'openapi.json', 'tokens.json']

describe('the page /docs', () => {
  test.each(['/', '/docs/'])('is the target of the redirect of %s', async url => {
    expect(await get(url)).toMatchObject({ status: 302, headers: [['Location', '/docs']] })
  })

  test('refers only to files that are served, and to no other host', async () => {
    const texts = await Promise.all(['/docs', '/docs/page.js', '/docs/page.css'].map(body))
    const named = [...texts.join().matchAll(/\/docs\/([\w.-]+)/g)].map(([, name]) => name)
    expect([...new Set(named)].sort()).toEqual([...files].sort())
    expect(texts.join()).not.toMatch(/https?:\/\//)
  })

  test('and its files have a Content-Security-Policy that allows only their origin, without inline scripts', async () => {
    const policy =
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    for (const url of ['/docs', ...files.map(name => `/docs/${name}`)]) {
      const { status, headers } = (await get(url)) ?? {}
      expect([status, Object.fromEntries(headers ?? [])]).toMatchObject([
        200,
        {
          'Content-Security-Policy': policy,
          'Cache-Control': 'no-store',
          'Cross-Origin-Resource-Policy': 'same-origin',
          'X-Content-Type-Options': 'nosniff',
        },
      ])
    }
  })

  test('has the operations of infra/openapi.yml, with its own origin as the server', async () => {
    const { paths, servers } = JSON.parse(await body('/docs/openapi.json'))
    const described = Object.keys(paths).flatMap(path =>
      Object.keys(paths[path]).map(method => `${method.toUpperCase()} ${path}`),
    )
    expect(described).toEqual(Object.keys(operations))
    expect(servers).toEqual([expect.objectContaining({ url: '/' })])
  })

  test('has a token for every caller except No token', async () => {
    const tokens: { caller: string; token: string }[] = JSON.parse(await body('/docs/tokens.json'))
    expect(tokens[0]?.caller).toBe('Administrator')
    for (const { caller, token } of tokens)
      expect(token).toMatch(caller === 'No token' ? /^$/ : /^[\w-]+\.[\w-]+\.[\w-]+$/)
  })

  test('is the same with a query, and for HEAD', async () => {
    expect(await get('/docs?x')).toEqual(await get('/docs'))
    expect(await get('/docs', undefined, 'HEAD')).toEqual(await get('/docs'))
    expect(await get('/docs', undefined, 'POST')).toBeUndefined()
  })

  test.each(['/docs/docs.ts', '/docs/../docs.ts', 'constructor', '/docsx', undefined])(
    '%s is not served',
    async url => expect(await get(url)).toBeUndefined(),
  )

  test('is served at a name of this machine only, not at another one that resolves to it', async () => {
    for (const host of ['127.0.0.1', '127.0.0.1:3000', 'localhost', 'LOCALHOST:8080'])
      expect(await get('/docs/tokens.json', host)).toMatchObject({ status: 200 })
    const others = ['rebound.example', 'rebound.example:3000', '127.0.0.1.example', 'localhost.example:1']
    for (const host of [...others, '10.0.0.1', ''])
      for (const url of ['/', '/docs', '/docs/tokens.json'])
        expect(await get(url, host), host).toBeUndefined()
  })
})
