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

/** @returns undefined where no Chromium is found, after one line that says so */
export async function launchChromium(): Promise<Browser | undefined> {
  if (executablePath !== undefined) return chromium.launch({ executablePath, args: quietly, timeout: 0 })
  process.stderr.write(
    'The page at /docs is not tried in a browser: no Chromium here; CHROMIUM_PATH names one.\n',
  )
  return undefined
}
