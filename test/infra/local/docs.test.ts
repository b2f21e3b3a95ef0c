import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { docs } from '../../../infra/local/docs/docs.ts'
import { openIssuer } from '../../../infra/local/issuer.ts'
import { projectRoot } from '../../../infra/project-root.ts'
import { operations } from '../../openapi/description.ts'

// test/engines/browser.test.ts uses the page; test/infra/local/stack.test.ts calls the service as each of its callers.

const contents = { hasSampleData: false, summary: 'kept from the last start' }
const table = { endpoint: 'http://127.0.0.1:8000', place: 'some-table in a DynamoDB', contents }
const served = docs((await openIssuer()).tokenFor, Promise.resolve(table))
const get = (url: string | undefined, host = '127.0.0.1:3000', method = 'GET') =>
  served({ method, url, headers: { host } })
const body = async (url: string) => String((await get(url))?.body)

test('the page loads only what is served here', async () => {
  const texts = await Promise.all(['/docs', '/docs/page.js', '/docs/page.css'].map(body))
  const named: string[] = texts.join().match(/\/docs\/[\w.-]+/g) ?? []
  expect(new Set(named).size).toBe(6)
  named.push('/docs/stack.json', '/docs/tokens.json')
  expect(texts.join()).not.toMatch(/https?:\/\//)
  const policy =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
  for (const url of ['/docs', ...named]) {
    const { status, headers } = (await get(url)) ?? {}
    expect([status, Object.fromEntries(headers ?? [])], url).toMatchObject([
      200,
      {
        'Content-Security-Policy': policy,
        'Cache-Control': 'no-store',
        'Cross-Origin-Resource-Policy': 'same-origin',
        'X-Content-Type-Options': 'nosniff',
      },
    ])
  }
  expect(await get('/')).toMatchObject({ status: 302, headers: [['Location', '/docs']] })
})

test('the page sends the operations of infra/openapi.yml to its own origin', async () => {
  const { paths, servers } = JSON.parse(await body('/docs/openapi.json'))
  expect(new Set(Object.keys(paths))).toEqual(
    new Set(Object.keys(operations).map(name => name.split(' ')[1])),
  )
  expect(servers).toEqual([expect.objectContaining({ url: '/' })])
})

test('the page has a token of each caller but one', async () => {
  const tokens: { caller: string; token: string }[] = JSON.parse(await body('/docs/tokens.json'))
  expect(tokens[0]?.caller).toBe('Administrator')
  for (const { caller, token } of tokens)
    expect(token).toMatch(caller === 'No token' ? /^$/ : /^[\w-]+\.[\w-]+\.[\w-]+$/)
})

test('the page says where the table is and what it has', async () => {
  expect(JSON.parse(await body('/docs/stack.json'))).toEqual({
    place: table.place,
    ...contents,
    providers: [],
  })
})

test('the page links to headings of the page for clients', async () => {
  const links = [...(await body('/docs')).matchAll(/clients\.md#:~:text=([^"]+)/g)]
  expect(links).toHaveLength(2)
  const page = await body('/docs/clients.md')
  expect(page).toBe(readFileSync(join(projectRoot, 'infra/clients.md'), 'utf8'))
  for (const [, heading = ''] of links) expect(page).toContain(`\n## ${decodeURIComponent(heading)}\n`)
})

test('nothing else is served', async () => {
  for (const url of ['/docs/docs.ts', '/docs/../docs.ts', 'constructor', undefined])
    expect(await get(url), url).toBeUndefined()
  expect(await get('/docs', undefined, 'POST')).toBeUndefined()
})

test('nothing is served to a page of another host whose name resolves to this machine', async () => {
  for (const host of ['127.0.0.1', 'LOCALHOST:8080'])
    expect(await get('/docs/tokens.json', host)).toMatchObject({ status: 200 })
  for (const host of ['rebound.example:3000', '127.0.0.1.example', 'localhost.example:1', '10.0.0.1', ''])
    for (const url of ['/', '/docs', '/docs/tokens.json']) expect(await get(url, host), host).toBeUndefined()
})
