import axe from 'axe-core'
import type { Browser, Page } from 'playwright-core'
import { expect } from 'vitest'

export const desktop = { width: 1280, height: 900 }
export const phone = { width: 375, height: 740 }

/** Opens the API page of a stack until it is rendered, and records its errors and its requests to other hosts. */
export async function openPage(
  browser: Browser,
  url: string,
  viewport = desktop,
  colorScheme: 'light' | 'dark' = 'light',
) {
  const page = await browser.newPage({ viewport, colorScheme, reducedMotion: 'reduce' })
  page.setDefaultTimeout(0)
  const faults: string[] = []
  page.on('pageerror', error => faults.push(error.message))
  page.on('console', message => message.type() === 'error' && faults.push(message.text()))
  page.on('request', request => {
    if (!request.url().startsWith(`${new URL(url).origin}/`) && !request.url().startsWith('data:'))
      faults.push(`loads ${request.url()}`)
  })
  await page.goto(url)
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
  const remove = operation('deleteSamlProvider')
  await remove.section.waitFor() // the last that the page renders
  return { page, faults, list: operation('listSamlProviders'), remove }
}

/** The pixels by which a page is wider than its window. */
export const overflow = (page: Page) =>
  page.evaluate<number>('document.documentElement.scrollWidth - innerWidth')

/** The violations that axe-core finds. */
export async function violations(page: Page): Promise<string[]> {
  await page.evaluate(axe.source)
  const script = "axe.run(document, { resultTypes: ['violations'] })"
  const found = await page.evaluate<axe.AxeResults>(script)
  return found.violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary}`),
  )
}

/** Shows what is documented, and the schema of every answer with all its levels. */
export async function expandAll(page: Page): Promise<void> {
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
  expect(await page.locator('.json-schema-2020-12').count()).toBeGreaterThan(50)
}
