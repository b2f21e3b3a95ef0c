import { describe, expect, test } from 'vitest'
import { docs } from '../../infra/local/docs/docs.ts'
import { openIssuer } from '../../infra/local/issuer.ts'
import { gatewayWithFakeFunctions } from '../infra/local/gateway/gateway-with-fake-functions.ts'
import { operations } from './description.ts'

const served = docs((await openIssuer()).tokenFor)
const pages = (method: string, url: string | undefined) => served({ method, url })
const page = async (path: string) => String((await pages('GET', path))?.body ?? '')

describe('the page of the description', () => {
  test('loads its own files alone, and all of them are there', async () => {
    const seen = new Set<string>()
    const follow = async (path: string) => {
      if (seen.has(path)) return
      seen.add(path)
      const got = await pages('GET', path)
      expect(got, path).toMatchObject({
        status: 200,
        headers: expect.arrayContaining([
          ['Content-Security-Policy', expect.stringMatching(/^default-src 'self'/)],
        ]),
      })
      for (const [, name = ''] of String(got?.body).matchAll(/['"](?:\.|\/docs)(\/[\w.]+)['"]/g) ?? [])
        await follow(`/docs${name}`)
    }
    await follow('/docs')
    expect([...seen].filter(path => /\.(js|css)$/.test(path))).toHaveLength(6)
    for (const path of seen)
      if (!path.endsWith('.json')) expect(await page(path), path).not.toMatch(/https?:\/\//)
  })

  test('has the operations of infra/openapi.yml, at this very address', async () => {
    const { paths, servers } = JSON.parse(await page('/docs/openapi.json'))
    expect(
      Object.keys(paths).flatMap(path =>
        Object.keys(paths[path]).map(method => `${method.toUpperCase()} ${path}`),
      ),
    ).toEqual(Object.keys(operations))
    expect(servers).toEqual([expect.objectContaining({ url: '/' })])
  })

  test('has a token for every caller but nobody', async () => {
    const tokens: { caller: string; token: string }[] = JSON.parse(await page('/docs/tokens.json'))
    expect(tokens[0]?.caller).toBe('Administrator')
    for (const { caller, token } of tokens)
      expect(token).toMatch(caller === 'Nobody' ? /^$/ : /^[\w-]+\.[\w-]+\.[\w-]+$/)
  })

  test.each([
    ['HEAD', '/docs'],
    ['GET', '/docs/'],
    ['GET', '/docs?x'],
  ])('%s %s is it, too', async (method, path) =>
    expect(await pages(method, path)).toEqual(await pages('GET', '/docs')),
  )

  test.each([
    ['POST', '/docs'],
    ['GET', '/'],
    ['GET', '/docs/docs.ts'],
    ['GET', '/docs/../docs.ts'],
    ['GET', '/docs/constructor'],
    ['GET', 'constructor'],
    ['GET', '/docsx'],
    ['GET', undefined],
  ])('%s %s is none of it', async (method, path) => expect(await pages(method, path)).toBeUndefined())
})

describe('a gateway that is given no pages', () => {
  const { ask } = gatewayWithFakeFunctions()
  test('has none', async () => expect((await ask('GET', '/docs')).status).toBe(404))
})
