import { readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { buildFunctions } from '../../infra/build.ts'
import { endpoints, scheduledFunctions } from '../../infra/serverless/service-definition.ts'

const root = join(import.meta.dirname, '..', '..')
const folder = join(root, '.build', 'bundles')

let entries: string[] = []
beforeAll(async () => {
  entries = await buildFunctions(root, folder)
})

test('each function has a bundle', () => {
  const handlers = [...endpoints, ...scheduledFunctions].map(({ handler }) => basename(handler, '.handler'))
  expect(entries.sort(), 'each file of functions/ is a function of serverless.yml').toEqual(handlers.sort())
})

test('a cold start loads neither undici nor a credential provider', () => {
  for (const entry of entries) {
    const { origins, imports } = loadedAtStart(join(folder, `${entry}.mjs`))
    expect(imports).toContain('node:https')
    for (const name of imports) expect(name).toMatch(/^(?!(node:)?http$)(node:)?[a-z/]+$/)
    expect(origins).toContain(`functions/${entry}.ts`)
    for (const path of origins)
      expect(path).not.toMatch(
        /credential-provider-(ini|sso|process|web-identity|http|login)\/dist|\/undici\//,
      )
  }
})

test('the bundles have nothing that only development needs', () => {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'))
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  const texts = files
    .filter(name => name.endsWith('.mjs'))
    .map(name => readFileSync(join(folder, name), 'utf8'))
  const origins = texts.flatMap(originsIn)
  for (const path of origins) expect(path).toMatch(/^(functions|lib|node_modules)\//)
  const used = new Set(origins.flatMap(path => /^node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? []))
  expect([...used]).toContain('node_modules/valibot')
  for (const name of used) expect(packages[name]?.dev, name).toBeUndefined()
})

/** The paths of the source files in a bundle: esbuild writes each before its code. */
const originsIn = (text: string) =>
  [...text.matchAll(/^\/\/ (\S+\.[cm]?[jt]s)$/gm)].map(([, path = '']) => path)

const importStatement = /^\s*(?:import|export)\s(?:[^;"]*\sfrom\s)?"([^"]+)"/gm

/** What a cold start loads, by an entry and its static imports: the files that are bundled, and the modules that are not. */
function loadedAtStart(entry: string) {
  const files = new Map<string, string>()
  const imports = new Set<string>()
  const load = (path: string) => {
    if (files.has(path)) return
    const text = readFileSync(path, 'utf8')
    files.set(path, text)
    for (const [, name = ''] of text.matchAll(importStatement)) {
      if (name.startsWith('.')) load(join(dirname(path), name))
      else imports.add(name)
    }
  }
  load(entry)
  return { origins: [...files.values()].flatMap(originsIn), imports }
}
