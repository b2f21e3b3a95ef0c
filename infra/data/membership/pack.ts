import { execFileSync } from 'node:child_process'
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'esbuild'
import { projectRoot } from '../../project-root.ts'

const here = import.meta.dirname
const sdk = ['@aws-sdk/client-dynamodb', '@aws-sdk/lib-dynamodb', '@smithy/core'] as const

/**
 * Makes the npm package of the library for other writers, without a network.
 *
 * @param folder is emptied first; afterwards it contains the package's files and the tarball
 * @returns the path of the tarball
 */
export async function packMemberships(folder: string): Promise<string> {
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  const entry = join(here, 'index.ts')
  await build({
    entryPoints: [entry],
    outfile: join(folder, 'index.js'),
    bundle: true,
    external: ['@aws-sdk/*', '@smithy/*'],
    format: 'esm',
    platform: 'node',
    target: 'node22',
    logLevel: 'silent', // the thrown error contains it all
  })
  const declarations = join(folder, 'declarations')
  const tsc = join(projectRoot, 'node_modules/.bin/tsc')
  run(tsc, here, '--project', join(here, 'package'), '--outDir', declarations)
  for (const name of ['index.d.ts', 'api.d.ts'])
    copyFileSync(join(declarations, 'infra/data/membership', name), join(folder, name))
  rmSync(declarations, { recursive: true })
  for (const name of ['example.mjs', 'policy.json'])
    copyFileSync(join(here, 'package', name), join(folder, name))
  // The files beside this repository's README are not in the package.
  const readme = readFileSync(join(here, 'README.md'), 'utf8').replace(/\[([^\]]+)\]\([^)]*\)/g, '$1')
  writeFileSync(join(folder, 'README.md'), readme)
  copyFileSync(join(projectRoot, 'LICENSE'), join(folder, 'LICENSE'))
  writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest(), null, 2))
  return join(folder, run('npm', folder, 'pack', '--silent').trim())
}

function manifest() {
  const { version, license, dependencies } = JSON.parse(
    readFileSync(join(projectRoot, 'package.json'), 'utf8'),
  )
  return {
    name: 'saml-memberships',
    version,
    license,
    description: 'Links, moves, unlinks and erases users in the table of the deprecated SAML endpoints.',
    type: 'module',
    engines: { node: '>=22.2' },
    exports: { types: './index.d.ts', default: './index.js' },
    dependencies: Object.fromEntries(sdk.map(name => [name, `^${dependencies[name]}`])),
  }
}

const run = (program: string, cwd: string, ...args: string[]) =>
  execFileSync(program, args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] })
