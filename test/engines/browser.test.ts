import { existsSync } from 'node:fs'
import axe from 'axe-core'
import { chromium } from 'playwright-core'
import { expect, onTestFinished, test } from 'vitest'
import { startLocalService } from '../../infra/local/service.ts'

const paths = [process.env.CHROMIUM_PATH, '/usr/bin/chromium', '/usr/bin/google-chrome']
const executablePath = paths.find(path => path !== undefined && existsSync(path))
if (executablePath === undefined)
  process.stdout.write(
    'test/engines/browser.test.ts is skipped: CHROMIUM_PATH is not the path of Chromium.\n',
  )

// A phone, and a small window of a desktop at 200 %.
const viewports = [
  { width: 375, height: 740 },
  { width: 640, height: 360 },
]

/** Runs in the page: a button that can be pressed before something hears it would lose a click, and is a fault. */
const findDeafButtons = `
  const heard = new WeakSet(), { addEventListener } = EventTarget.prototype
  EventTarget.prototype.addEventListener = function (type, ...rest) {
    if (type === 'click') heard.add(this)
    addEventListener.call(this, type, ...rest)
  }
  const look = ({ target }) => target.disabled || heard.has(target) || console.error(target.id + ' hears nothing yet')
  const disabled = { subtree: true, attributeFilter: ['disabled'] }
  new MutationObserver(changes => changes.forEach(look)).observe(document, disabled)`

test.skipIf(executablePath === undefined).for(viewports)(
  'the page of the local service shows what a removal does, at $width × $height',
  async viewport => {
    const service = await startLocalService({ port: 0, log: () => {} })
    onTestFinished(service.stop)
    const browser = await chromium.launch({
      executablePath: String(executablePath),
      args: ['--no-sandbox'],
      timeout: 0,
    })
    onTestFinished(() => browser.close())
    const page = await browser.newPage({ viewport })
    page.setDefaultTimeout(0) // the test's own time limit ends a wait
    const faults: string[] = []
    page.on('pageerror', error => faults.push(error.message))
    page.on('console', message => message.type() === 'error' && faults.push(message.text()))
    page.on('request', request => request.url().startsWith(service.url) || faults.push(request.url()))
    await page.addInitScript(findDeafButtons)
    await page.goto(service.url)

    const plain = await browser.newPage({ javaScriptEnabled: false })
    await plain.goto(service.url)
    expect(await plain.getByRole('status').textContent()).toContain('This page needs JavaScript.')
    const dead = plain.getByRole('button', { disabled: true })
    expect(await dead.count(), 'a button that nothing hears cannot be pressed').toBe(3)

    const answer = page.getByLabel('Request, headers and body')
    const shows = async (status: string) => {
      const output = page.getByRole('status').filter({ hasText: status })
      await output.waitFor()
      await page.evaluate('scrollTo(0, 0)') // where the first button is in view
      const { y = -1, height = 0 } = (await output.boundingBox()) ?? {}
      expect(y, status).toBeGreaterThanOrEqual(0)
      expect(y + height, status).toBeLessThanOrEqual(viewport.height)
    }
    const press = async (name: string, status: string) => {
      await page.getByRole('button', { name }).click()
      await shows(status)
    }
    expect(await answer.isVisible()).toBe(false)
    await press('List the providers', '200 GET /api/v2/saml 4 providers')
    expect(await answer.inputValue()).toMatch(
      /^TOKEN=\$\(npm run --silent token\)\ncurl -H .*\n\ndeprecation: @\d+\n[\s\S]*"Okta"/,
    )
    expect(await page.locator('label.removed').count()).toBe(0)

    // While a request runs, the page says so, and shows no former answer.
    const held = Promise.withResolvers<void>()
    await page.route('**/providers/1', async route => {
      await held.promise
      await route.continue()
    })
    await press('Remove Okta', '… DELETE /api/v2/saml/providers/1')
    expect(await answer.inputValue()).toBe('')
    await page.getByRole('radio', { name: 'Keycloak' }).check()
    await page.evaluate('scrollTo(0, 0)')
    held.resolve()
    await page.getByText('9 users lost this sign-in: fay.facilities, ben.billing').waitFor()
    expect(await page.evaluate('document.activeElement.value'), 'the focus stays').toBe('3')
    expect(await page.locator('#target').textContent(), 'the choice stays').toBe('Keycloak')
    const { y = -1, height = 0 } = (await page.locator('label.removed').boundingBox()) ?? {}
    expect(Math.round(y), 'its names and dots are in view').toBeGreaterThanOrEqual(0)
    expect(y + height).toBeLessThanOrEqual(viewport.height)
    await page.getByRole('radio', { name: 'Okta' }).check()
    await press('Remove Okta again', '200 DELETE /api/v2/saml/providers/1')
    await press('Look again', '200 GET /api/v2/saml 3 providers')
    await page.locator('#remove[aria-current=step]').waitFor()
    expect(await page.locator('#target').textContent(), 'another is next').toBe('Microsoft Entra ID')

    await page.reload()
    await page.getByText('9 users lost this sign-in').waitFor()
    const line = "getComputedStyle(document.querySelector('label.removed b')).textDecorationLine"
    expect(await page.evaluate(line)).toBe('line-through')

    await page.evaluate(axe.source)
    const { violations } = await page.evaluate<axe.AxeResults>("axe.run({ exclude: '#description' })")
    expect([violations.map(({ id, nodes }) => [id, nodes[0]?.html]), faults]).toEqual([[], []])
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(viewport.width)
    // Swagger UI, as shipped, has faults of contrast elsewhere.
    await page.getByText('All fields and answers').click()
    await page.locator('.opblock-summary').first().waitFor()
    const badges = await page.evaluate<axe.AxeResults>(
      "axe.run('.opblock-summary-method', { runOnly: 'color-contrast' })",
    )
    expect([badges.violations, badges.incomplete, badges.passes[0]?.nodes.length]).toEqual([[], [], 2])

    for (const [id, name] of [
      [2, 'Microsoft Entra ID'],
      [3, 'Keycloak'],
      [4, 'AD FS (pilot)'],
    ]) {
      await page.reload()
      await press(`Remove ${name}`, `200 DELETE /api/v2/saml/providers/${id}`)
    }
    await press('Look again', '200 GET /api/v2/saml 0 providers')
    await page.reload()
    await shows('No provider is active')
    expect(await page.getByRole('button', { name: 'Remove a provider' }).isDisabled()).toBe(true)
  },
)
