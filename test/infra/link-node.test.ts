import { execFileSync } from 'node:child_process'
import { cpSync, lstatSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import packageJson from '../../package.json' with { type: 'json' }
import { projectRoot } from '../../infra/project-root.ts'
import { temporaryFolder } from '../support/machine.ts'

/** Installs a Node of these packages as npm 10 does: without its link. */
function installed(...packages: string[]) {
  const folder = temporaryFolder()
  cpSync(join(projectRoot, 'infra/link-node.cjs'), join(folder, 'infra/link-node.cjs'))
  for (const name of packages) {
    mkdirSync(join(folder, 'node_modules', name, 'bin'), { recursive: true })
    writeFileSync(join(folder, 'node_modules', name, 'bin/node'), name)
  }
  return {
    link: join(folder, 'node_modules/.bin/node'),
    afterInstall: () => execFileSync('sh', ['-c', packageJson.scripts.postinstall], { cwd: folder }),
  }
}

const here = `node-${process.platform}-${process.arch}`

test('an installation links the Node of the project where npm has deleted its link', () => {
  const { link, afterInstall } = installed(here)
  afterInstall()
  expect(readFileSync(link, 'utf8')).toBe(here)
  afterInstall()
  expect(readFileSync(link, 'utf8')).toBe(here)
})

test('a link to the Node of another platform is replaced', () => {
  const { link, afterInstall } = installed(here)
  mkdirSync(join(link, '..'))
  symlinkSync('../node-of-another-platform/bin/node', link)
  afterInstall()
  expect(readFileSync(link, 'utf8')).toBe(here)
})

test('nothing is linked where npm has installed no Node for this platform', () => {
  const { link, afterInstall } = installed('node-of-another-platform')
  afterInstall()
  expect(lstatSync(link, { throwIfNoEntry: false })).toBeUndefined()
})
