import { existsSync } from 'node:fs'
import axe from 'axe-core'
import { type Browser, chromium, type Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { type LocalStack, startLocalStack } from '../../infra/local/stack.ts'
import { oktaId } from '../../infra/sample-data/sample-data.ts'

const executablePath = [
  process.env.CHROMIUM_PATH,
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome-stable',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
].find(path => path !== undefined && existsSync(path))
if (executablePath === undefined)
  process.stdout.write(
    'test/engines/browser.test.ts is skipped: no Chromium was found; CHROMIUM_PATH sets its path.\n',
  )

const options = '--headless --no-sandbox --disable-gpu --no-first-run --disable-background-networking'
const dynamodbEndpoint = inject('dynamodbEndpoint')
let browser: Browser
let stack: LocalStack
beforeAll(async () => {
  if (executablePath === undefined) return
  browser = await chromium.launch({ executablePath, args: options.split(' '), timeout: 0 })
  stack = await startLocalStack({ port: 0, log: () => {}, dynamodbEndpoint })
})
afterAll(async () => {
  await browser?.close()
  await stack?.stop()
})

/** Opens a page and records its errors and its requests to other hosts. */
async function open(path: string, width = 1280) {
  const page = await browser.newPage({ viewport: { width, height: 800 } })
  page.setDefaultTimeout(0)
  const faults: string[] = []
  page.on('pageerror', error => faults.push(error.message))
  page.on('console', message => message.type() === 'error' && faults.push(message.text()))
  page.on('request', request => {
    if (!request.url().startsWith(`${stack.url}/`) && !request.url().startsWith('data:'))
      faults.push(`loads ${request.url()}`)
  })
  await page.goto(`${stack.url}${path}`)
  const operation = (id: string) => {
    const section = page.locator(`[id$="-${id}"]`)
    return {
      section,
      open: () => section.locator('.opblock-summary-control').click(),
      /** Sends the request. @returns the response, and the text that the page shows */
      async execute() {
        const answered = page.waitForResponse(response => response.url().includes('/api/'))
        await section.getByRole('button', { name: 'Execute' }).click()
        const response = await answered
        await section.getByText(String(response.headers()['x-request-id'])).first().waitFor()
        const shown = await section.locator('.live-responses-table').innerText()
        return { status: response.status(), body: await response.json(), shown }
      },
    }
  }
  return { page, faults, list: operation('listSamlProviders'), remove: operation('deleteSamlProvider') }
}

describe.skipIf(executablePath === undefined)('the page at / of the local stack', () => {
  test('lists the providers, removes one and shows its users, with the selected caller', async () => {
    const { page, faults, list, remove } = await open('/')
    expect(page.url()).toBe(`${stack.url}/docs`)
    await list.open()
    const listed = await list.execute()
    expect([listed.status, listed.body.data.saml_providers.length]).toEqual([200, 4])
    for (const text of ['"2024-03-05T08:30:15.250Z"', 'deprecation: @1735689600'])
      expect(listed.shown).toContain(text)

    await remove.open()
    await remove.section.getByPlaceholder('saml_provider_id').fill(String(oktaId))
    await remove.section.getByPlaceholder('Prefer').fill('wait=10')
    const removed = await remove.execute()
    expect([removed.status, removed.body.data.affected_user.length]).toEqual([200, 9])
    for (const text of ['gus.growth', 'preference-applied: wait=10']) expect(removed.shown).toContain(text)
    expect((await list.execute()).body.data.saml_providers).toHaveLength(3)
    expect(faults).toEqual([])

    const callAs = (label: string) => page.getByLabel('Call as').selectOption({ label })
    await callAs('Administrator who may only list')
    expect(await remove.execute()).toMatchObject({ status: 403, body: { code: 'scope_missing' } })
    await callAs('No token')
    expect(await list.execute()).toMatchObject({ status: 401, body: { code: 'credentials_missing' } })
  })

  test('is used with the keyboard alone, fits into a narrow window, and has no violation of axe-core', async () => {
    const { page, list, remove } = await open('/docs', 375)
    await remove.section.locator('.opblock-summary-control').focus()
    await page.keyboard.press('Enter')
    await remove.section.getByPlaceholder('saml_provider_id').focus()
    await page.keyboard.press('ControlOrMeta+A')
    await page.keyboard.type('abc')
    const answered = page.waitForResponse(response => response.url().includes('/api/'))
    const focused = () => page.evaluate('document.activeElement.textContent')
    while ((await focused()) !== 'Execute') await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    expect(await (await answered).json()).toMatchObject({ status: 404, code: 'provider_not_found' })
    await remove.section.locator('.live-responses-table').waitFor()
    await expandAll(page)
    const overflow = await page.evaluate('document.documentElement.scrollWidth - innerWidth')
    expect(overflow).toBeLessThanOrEqual(0)

    await page.setViewportSize({ width: 1280, height: 800 })
    await list.open()
    await list.execute()
    await expandAll(page)
    await page.evaluate(axe.source)
    const script = "axe.run(document, { resultTypes: ['violations'] })"
    const { violations } = await page.evaluate<axe.AxeResults>(script)
    const found = violations.flatMap(({ id, nodes }) =>
      nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary}`),
    )
    expect(found).toEqual([])
  })
})

/** Shows what is documented, and the schema of every answer with all its levels. */
async function expandAll(page: Page): Promise<void> {
  await page
    .locator('details')
    .evaluateAll(elements => elements.map(element => element.setAttribute('open', '')))
  const openable = page.locator('.tablinks[aria-selected="false"], .json-schema-2020-12-expand-deep-button')
  const openAll = () =>
    openable.evaluateAll(elements => {
      const closed = elements.filter(({ textContent }) => /^(Schema|Expand all)$/.test(textContent))
      for (const element of closed) element.click()
      return closed.length
    })
  while ((await openAll()) > 0);
  expect(await page.locator('.json-schema-2020-12').count()).toBeGreaterThan(100)
}
