import { existsSync } from 'node:fs'
import { type Browser, chromium } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { type LocalStack, startLocalStack } from '../../infra/local/stack.ts'
import { oktaId } from '../../infra/sample-data/sample-data.ts'
import { desktop, expandAll, openPage, overflow, phone, violations } from './api-page.ts'

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

/** For what follows an answer or a request, also on a busy machine. */
const patience = { timeout: 30_000 }

const open = (viewport?: typeof desktop, colorScheme?: 'light' | 'dark') =>
  openPage(browser, stack.url, viewport, colorScheme)

describe.skipIf(executablePath === undefined)('the page at / of the local stack', () => {
  test('lists and removes providers as the selected caller', async () => {
    const { page, faults, list, remove } = await open()
    expect(page.url()).toBe(`${stack.url}/docs`)
    for (const [table, row] of [
      ['Sample data', '1 Okta 9 ada.accounting, ben.billing'],
      ['Callers', 'Expired token nothing (401 token_rejected)'],
    ] as const) {
      const rows = page.locator('details', { hasText: table }).getByRole('row')
      const texts = (await rows.allInnerTexts()).map(text => text.replace(/\s+/g, ' '))
      expect(texts).toContainEqual(expect.stringContaining(row))
    }
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

  test.each([
    ['phone', 'light', phone],
    ['phone', 'dark', phone],
    ['desktop', 'light', desktop],
    ['desktop', 'dark', desktop],
  ] as const)('leads to the answer on a %s when it is %s', async (...row) => {
    const [, colorScheme, viewport] = row
    const { page, faults, remove } = await open(viewport, colorScheme)
    await remove.open()
    await remove.section.getByPlaceholder('saml_provider_id').fill('3')
    expect(await violations(page)).toEqual([])
    const textColor = await page.evaluate("getComputedStyle(document.querySelector('.swagger-ui')).color")
    const [red] = /\d+/.exec(String(textColor)) ?? []
    expect(Number(red) > 128).toBe(colorScheme === 'dark')

    const answer = remove.section.locator('.answer')
    const expectToBeAtAnswer = async () => {
      const focused = () => page.evaluate('document.activeElement.getAttribute("aria-label")')
      await expect.poll(focused, patience).toBe('Answer to DELETE')
      const { height = 0 } = (await page.locator('.caller').boundingBox()) ?? {}
      const top = async () => ((await answer.boundingBox())?.y ?? 0) - height
      await expect.poll(top, patience).toSatisfy(px => px >= 0 && px < 40)
    }
    expect(await remove.execute()).toMatchObject({ status: 200 })
    await expectToBeAtAnswer()
    expect(await page.evaluate('document.documentElement.scrollHeight')).toBeLessThan(4000)
    expect(await overflow(page)).toBeLessThanOrEqual(0)
    expect(await violations(page)).toEqual([])

    const { promise: released, resolve: release } = Promise.withResolvers<void>()
    await page.route('**/api/**', route => released.then(() => route.continue()))
    const next = remove.execute()
    await answer.waitFor({ state: 'detached', ...patience }) // an answer is never shown beside the next request
    release()
    await next
    await expectToBeAtAnswer()
    expect(faults).toEqual([])
  })

  test('names the successor of each deprecated endpoint', async () => {
    const { page, list, remove } = await open()
    for (const [{ section }, successor] of [
      [list, 'GET /api/v2/sso-providers'],
      [remove, 'DELETE /api/v2/sso-providers/{sso_provider_id}'],
    ] as const) {
      expect(await section.getByText('deprecated', { exact: true }).count()).toBe(1)
      const link = section.getByRole('link', { name: successor, exact: true })
      expect(await link.getAttribute('href', patience)).toContain('/docs/clients.md#')
    }
    const isStruck =
      "[...document.querySelectorAll('*')].some(e => getComputedStyle(e).textDecorationLine.includes('through'))"
    expect(await page.evaluate(isStruck)).toBe(false)
  })

  test('is used with the keyboard alone', async () => {
    const { page, remove } = await open(phone)
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
  })

  test.each(['light', 'dark'] as const)(
    'has no violation of axe-core when all is expanded: %s',
    async scheme => {
      const { page, list } = await open(desktop, scheme)
      await list.open()
      await list.execute()
      await expandAll(page)
      expect(await violations(page)).toEqual([])
      await page.setViewportSize(phone)
      expect(await overflow(page)).toBeLessThanOrEqual(0)
    },
  )
})
