import { expect, test } from 'vitest'
import { docs } from '../../../infra/local/docs/docs.ts'
import { openIssuer } from '../../../infra/local/issuer.ts'

// test/infra/local/service.test.ts calls the service as each of the page's callers.

const providers = async () => [{ id: 7, name: 'Okta', state: 'active', users: 2 }]
const table = {
  endpoint: 'http://127.0.0.1:8000',
  name: 'some-table',
  place: 'here',
  data: 'none',
  providers,
}
const served = docs((await openIssuer()).tokenFor, Promise.resolve(table))
const get = (target: string, host = '127.0.0.1:3000', method = 'GET') => served({ method, target, host })
const body = async (target: string) => String((await get(target))?.body)

test('the local page loads nothing from elsewhere', async () => {
  const texts = (await Promise.all(['/docs', '/docs/page.js', '/docs/page.css'].map(body))).join()
  const named = texts.match(/\/docs\/[\w.-]+/g) ?? []
  const read = [...texts.matchAll(/read\('(\w+)'\)/g)].map(([, name]) => `/docs/${name}.json`)
  const files = new Set([...named, ...read])
  expect(files.size).toBe(7)
  for (const target of ['/docs', ...files]) {
    const { status, headers } = (await get(target)) ?? {}
    expect([status, Object.fromEntries(headers ?? [])], target).toMatchObject([
      200,
      {
        'Content-Security-Policy': expect.stringMatching(/^default-src 'none';/),
        'Cache-Control': 'no-store',
      },
    ])
  }
  expect(texts).not.toMatch(/https?:\/\//)
  expect(await get('/')).toMatchObject({ status: 302, headers: [['Location', '/docs']] })
})

test('the local page draws its own table and sends its requests here', async () => {
  expect(JSON.parse(await body('/docs/service.json'))).toMatchObject({
    providers: await providers(),
    listUrl: '/api/v2/saml',
    deleteUrl: '/api/v2/saml/providers/',
  })
  const { paths, servers } = JSON.parse(await body('/docs/openapi.json'))
  expect([Object.keys(paths).length, servers], 'count the new path here').toEqual([
    2,
    [expect.objectContaining({ url: '/' })],
  ])
})

test('the local page has for each caller the command that prints such a token', async () => {
  const callers: { caller: string; command?: string }[] = JSON.parse(await body('/docs/callers.json'))
  expect(callers.map(({ command }) => command)).toEqual([
    'npm run --silent token',
    'npm run --silent token -- --sub 5a3d1c9e-7b42-4f06-9d18-c0ffee000002',
    'npm run --silent token -- --scope saml-providers:read',
    'npm run --silent token -- --sub 31fb8cc6-dac2-8c13-a1b8-0839f1d03ae9',
    undefined, // it prints no expired token
    undefined,
  ])
})

test('the local page answers to the names of this machine alone', async () => {
  for (const host of ['127.0.0.1', 'LOCALHOST:8080'])
    expect(await get('/docs/callers.json', host)).toMatchObject({ status: 200 })
  for (const host of ['rebound.example:3000', '127.0.0.1.example', 'localhost.example:1', '10.0.0.1', ''])
    for (const target of ['/', '/docs', '/docs/callers.json'])
      expect(await get(target, host), host).toBeUndefined()
  for (const target of ['/docs/docs.ts', '/docs/../docs.ts', 'constructor', '/docs/constructor', ''])
    expect(await get(target), target).toBeUndefined()
  expect(await get('/docs', undefined, 'POST')).toBeUndefined()
})
