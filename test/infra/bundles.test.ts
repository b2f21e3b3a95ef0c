import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { buildFunctions } from '../../infra/build/build.ts'

const folder = join(import.meta.dirname, '..', '..', '.build', 'functions')
const importStatement = /^\s*(?:import|export)\s(?:[^;"]*\sfrom\s)?"([^"]+)"/gm

/** What a cold start loads: the entry and all that it imports at once. */
function loadedAtOnce(entry: string) {
  const files = new Map<string, string>()
  const packages = new Set<string>()
  const load = (path: string) => {
    if (files.has(path)) return
    const text = readFileSync(path, 'utf8')
    files.set(path, text)
    for (const [, name = ''] of text.matchAll(importStatement)) {
      if (name.startsWith('.')) load(join(dirname(path), name))
      else packages.add(name)
    }
  }
  load(join(folder, `${entry}.mjs`))
  return { text: [...files.values()].join('\n'), packages: [...packages] }
}

let entries: string[] = []
beforeAll(async () => {
  entries = await buildFunctions()
})

describe('each bundle', () => {
  test('is one per endpoint', () => {
    expect(entries.sort()).toEqual(['delete-saml-provider', 'list-saml-providers'])
  })

  test.each(['delete-saml-provider', 'list-saml-providers'])(
    '%s loads no undici and no credential provider before it is needed, and at most 700 KB',
    entry => {
      const { text, packages } = loadedAtOnce(entry)
      expect(packages).toContain('node:https')
      expect(packages).not.toContain('node:http')
      expect(packages).not.toContain('http')
      expect(text).not.toMatch(
        /credential-provider-(ini|sso|process|web-identity|http|login)\/dist|\/undici\//,
      )
      expect(text.length).toBeLessThan(700_000)
    },
  )

  test.each(['delete-saml-provider', 'list-saml-providers'])(
    '%s holds nothing of the local stack or the tests',
    entry => {
      expect(loadedAtOnce(entry).text).not.toMatch(/^\/\/ (infra|test)\/|dynalite|issuer\.local\.example/m)
    },
  )

  test.each(['delete-saml-provider', 'list-saml-providers'])('%s needs nothing but Node', entry => {
    for (const name of loadedAtOnce(entry).packages) expect(name).toMatch(/^(node:)?[a-z/]+$/)
  })
})
