import { existsSync } from 'node:fs'
import axe from 'axe-core'
import { chromium } from 'playwright-core'
import { expect, onTestFinished, test } from 'vitest'
import { startLocalStack } from '../../infra/local/stack.ts'

const paths = [process.env.CHROMIUM_PATH, '/usr/bin/chromium', '/usr/bin/google-chrome']
const executablePath = paths.find(path => path !== undefined && existsSync(path))
if (executablePath === undefined)
  process.stdout.write(
    'test/engines/browser.test.ts is skipped: CHROMIUM_PATH is not the path of Chromium.\n',
  )

test.skipIf(executablePath === undefined)(
  'the page of the local stack shows what a removal does',
  async () => {
    const stack = await startLocalStack({ port: 0, log: () => {} })
    onTestFinished(stack.stop)
    const browser = await chromium.launch({
      executablePath: String(executablePath),
      args: ['--no-sandbox'],
      timeout: 0,
    })
    onTestFinished(() => browser.close())
    const page = await browser.newPage({ viewport: { width: 375, height: 740 } })
    const faults: string[] = []
    page.on('pageerror', error => faults.push(error.message))
    page.on('console', message => message.type() === 'error' && faults.push(message.text()))
    page.on('request', request => request.url().startsWith(stack.url) || faults.push(request.url()))
    await page.goto(stack.url)

    const press = async (name: string, status: string) => {
      await page.getByRole('button', { name }).click()
      await page.getByText(status).waitFor()
    }
    await press('List the providers', '200 GET /api/v2/saml')
    expect(await page.getByLabel('Headers and body').inputValue()).toMatch(
      /^deprecation: @\d+\n[\s\S]*"Okta"/,
    )
    expect(await page.locator('label.removed').count()).toBe(0)
    await press('Remove Okta', '200 DELETE /api/v2/saml/providers/1')
    await page.getByText('9 users lost this sign-in; 9 in the answer').waitFor()
    await page.reload()
    await page.getByText('9 users lost this sign-in').waitFor()
    const line = "getComputedStyle(document.querySelector('label.removed b')).textDecorationLine"
    expect(await page.evaluate(line)).toBe('line-through')

    await page.evaluate(axe.source)
    const { violations } = await page.evaluate<axe.AxeResults>("axe.run({ exclude: '#description' })")
    expect([violations.map(({ id, nodes }) => [id, nodes[0]?.html]), faults]).toEqual([[], []])
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(375)
  },
)
