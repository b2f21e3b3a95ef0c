import { existsSync } from 'node:fs'
import { type Browser, chromium } from 'playwright-core'

const executablePath = [
  process.env.CHROMIUM_PATH,
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome-stable',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
].find(path => path !== undefined && existsSync(path))

const args = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

/** @returns undefined, after one line on standard error, when no Chromium is found */
export async function launchChromium(): Promise<Browser | undefined> {
  if (executablePath !== undefined) return chromium.launch({ executablePath, args, timeout: 0 })
  process.stderr.write(
    'test/openapi/browser.test.ts is skipped: no Chromium was found; CHROMIUM_PATH sets its path.\n',
  )
  return undefined
}
