import { existsSync } from 'node:fs'
import { type Browser, chromium } from 'playwright-core'
import { expect, inject, onTestFinished, test } from 'vitest'
import { okta } from '../../infra/sample-data/providers.ts'
import { startLocalStack } from '../../infra/local/stack.ts'

const executablePath = [
  process.env.CHROMIUM_PATH,
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome-stable',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
].find(path => path !== undefined && existsSync(path))

const quietly = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

async function openDocs(browser: Browser) {
  onTestFinished(() => browser.close())
  const stack = await startLocalStack({
    port: 0,
    log: () => {},
    dynamodbEndpoint: inject('dynamodbEndpoint'),
  })
  onTestFinished(stack.stop)
  const page = await browser.newPage()
  page.setDefaultTimeout(0)
  const faults: string[] = []
  page.on('pageerror', error => faults.push(error.message))
  page.on('console', message => message.type() === 'error' && faults.push(message.text()))
  page.on('request', request => {
    if (!request.url().startsWith(`${stack.url}/`) && !request.url().startsWith('data:'))
      faults.push(`loads ${request.url()}`)
  })
  await page.goto(`${stack.url}/docs`)
  const form = (name: RegExp) => page.getByRole('form', { name })
  return { page, faults, list: form(/GET/), remove: form(/DELETE/) }
}

test('a person at /docs lists the providers, removes one and sees its users', async ({ skip }) => {
  if (executablePath === undefined) {
    process.stderr.write(
      'The page at /docs is not tried in a browser: no Chromium here; CHROMIUM_PATH names one.\n',
    )
    return skip()
  }
  const { page, faults, list, remove } = await openDocs(
    await chromium.launch({ executablePath, args: quietly, timeout: 0 }),
  )
  const tryIt = { name: 'Try it' }
  const outcome = async (form: typeof list, ...texts: string[]) => {
    await form.getByRole('button', tryIt).click()
    const status = form.getByRole('status')
    for (const text of texts) await status.getByText(text).first().waitFor()
    return status.locator('pre').innerText()
  }

  const providers = JSON.parse(await outcome(list, '200', '4 × saml_providers')).data.saml_providers
  expect(providers).toHaveLength(4)
  await list.getByText('"2024-03-05T08:30:15.250Z"').waitFor()
  expect(await list.getByRole('status').locator('dl').innerText()).toContain('@1735689600')

  await remove.getByLabel('saml_provider_id').fill(String(okta.id))
  await remove.getByLabel('Prefer').fill('wait=10')
  const users = JSON.parse(await outcome(remove, '200', '9 × affected_user', 'wait=10')).data.affected_user
  expect(users.map((user: { principal_name: string }) => user.principal_name)).toContain('gus.growth')
  await outcome(list, '3 × saml_providers')
  expect(faults).toEqual([])

  await page.getByLabel('Call as').selectOption({ label: 'Administrator who may only list' })
  await outcome(remove, '403', 'scope_missing')
  await page.getByLabel('Bearer token').fill('')
  await outcome(list, '401', 'credentials_missing')
})
