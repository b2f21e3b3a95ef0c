import { readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { buildFunctions } from '../../infra/build.ts'
import { endpoints, scheduledFunctions } from '../../infra/serverless/service-definition.ts'

const root = join(import.meta.dirname, '..', '..')
const folder = join(root, '.build', 'bundles')
const loaded = (entry: string) => loadedModules(join(folder, `${entry}.mjs`))

let entries: string[] = []
beforeAll(async () => {
  entries = await buildFunctions(root, folder)
})

describe('the bundles', () => {
  test('are one per function', () => {
    const handlers = [...endpoints, ...scheduledFunctions].map(({ handler }) => basename(handler, '.handler'))
    expect(entries.sort(), 'each file of functions/ is a function of serverless.yml').toEqual(handlers.sort())
  })

  test.each([
    ['delete-saml-provider', 419, 686],
    ['list-saml-providers', 419, 686],
    ['finish-removals', 395, 640],
  ])('%s statically loads at most %i modules and %i KB', (entry, modulesMax, kilobytesMax) => {
    const { files, modules } = loaded(entry)
    expect(modules.size).toBeLessThanOrEqual(modulesMax)
    expect([...files.values()].join('').length / 1000).toBeLessThanOrEqual(kilobytesMax)
  })

  test('load neither undici nor a credential provider', () => {
    for (const entry of entries) {
      const { modules, imports } = loaded(entry)
      expect(imports).toContain('node:https')
      for (const name of imports) expect(name).toMatch(/^(?!(node:)?http$)(node:)?[a-z/]+$/)
      for (const name of modules.keys())
        expect(name).not.toMatch(
          /credential-provider-(ini|sso|process|web-identity|http|login)\/dist|\/undici\//,
        )
    }
  })

  test('come only from what is deployed', () => {
    const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'))
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    const texts = files
      .filter(name => name.endsWith('.mjs'))
      .map(name => readFileSync(join(folder, name), 'utf8'))
    // esbuild writes the path of each source file before its code.
    const origins = texts.flatMap(text =>
      [...text.matchAll(/^\/\/ (\S+\.[cm]?[jt]s)$/gm)].map(([, at = '']) => at),
    )
    for (const at of origins) expect(at).toMatch(/^(functions|lib|node_modules)\//)
    const used = new Set(origins.flatMap(at => /^node_modules\/(?:@[^/]+\/)?[^/]+/.exec(at)?.[0] ?? []))
    expect([...used]).toContain('node_modules/valibot')
    for (const name of used) expect(packages[name]?.dev, name).toBeUndefined()
  })
})

const importStatement = /^\s*(?:import|export)\s(?:[^;"]*\sfrom\s)?"([^"]+)"/gm
/** esbuild writes the path of each source file before its code. */
const origin = /^\/\/ (\S+\.[cm]?[jt]s)$/m

/** What a cold start loads: a file of .build/functions and its static imports. */
function loadedModules(entry: string) {
  const files = new Map<string, string>()
  /** The characters of each bundled source file, by its path in the project. */
  const modules = new Map<string, number>()
  /** The modules that are not bundled. */
  const imports = new Set<string>()
  const load = (path: string) => {
    if (files.has(path)) return
    const text = readFileSync(path, 'utf8')
    files.set(path, text)
    const [, ...parts] = text.split(origin)
    for (let at = 0; at < parts.length; at += 2) {
      const [name = '', code = ''] = parts.slice(at)
      modules.set(name, (modules.get(name) ?? 0) + code.length)
    }
    for (const [, name = ''] of text.matchAll(importStatement)) {
      if (name.startsWith('.')) load(join(dirname(path), name))
      else imports.add(name)
    }
  }
  load(entry)
  return { files, modules, imports }
}
