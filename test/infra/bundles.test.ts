import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { buildFunctions } from '../../infra/build.ts'

const root = join(import.meta.dirname, '..', '..')
const folder = join(root, '.build', 'functions')
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
  test('is one per function', () => {
    expect(entries.sort()).toEqual(['delete-saml-provider', 'finish-removals', 'list-saml-providers'])
  })

  test.each(['delete-saml-provider', 'list-saml-providers'])(
    '%s loads no undici, no document client, no credential provider before it is needed; 400 modules, 620 KB',
    entry => {
      const { text, packages } = loadedAtOnce(entry)
      expect(packages).toContain('node:https')
      expect(packages).not.toContain('node:http')
      expect(packages).not.toContain('http')
      expect(text).not.toMatch(
        /credential-provider-(ini|sso|process|web-identity|http|login)\/dist|\/undici\/|\/(lib|util)-dynamodb\//,
      )
      expect(text.match(/^\/\/ \S+\.[cm]?[jt]s$/gm)?.length).toBeLessThanOrEqual(400)
      expect(text.length).toBeLessThanOrEqual(620_000)
    },
  )

  test.each(['delete-saml-provider', 'list-saml-providers'])('%s needs nothing but Node', entry => {
    for (const name of loadedAtOnce(entry).packages) expect(name).toMatch(/^(node:)?[a-z/]+$/)
  })
})

describe('what is packaged', () => {
  const files = () =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter(name => name.endsWith('.mjs'))
      .map(name => [name, readFileSync(join(folder, name), 'utf8')] as const)
  /** Where esbuild took each part of a bundle from. */
  const origins = () =>
    files().flatMap(([, text]) => [...text.matchAll(/^\/\/ (\S+\.[cm]?[jt]s)$/gm)].map(([, at = '']) => at))

  test('comes from functions, lib and packages, none of them for development, and nowhere else', () => {
    const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'))
    expect(origins()).toEqual(expect.arrayContaining(['functions/list-saml-providers.ts', 'lib/log.ts']))
    for (const at of origins()) expect(at).toMatch(/^(functions|lib|node_modules)\//)
    const used = new Set(origins().flatMap(at => /^node_modules\/(?:@[^/]+\/)?[^/]+/.exec(at)?.[0] ?? []))
    expect([...used]).toContain('node_modules/valibot')
    for (const name of used) expect(packages[name]?.dev, name).toBeUndefined()
  })

  test('has a source map beside each file, which says where a line of a stack is from', () => {
    const made = files().flatMap(([name, text]) => {
      const line = text.split('\n').findIndex(one => one.includes('the warm-up took too long'))
      return line < 0 ? [] : [{ name, line: line + 1 }]
    })
    expect(made).toHaveLength(1)
    const [{ name, line }] = made as [{ name: string; line: number }]
    const stack = `Error: x\\n    at warmUp (file:///var/task/.build/functions/${name}:${line}:5)\n    at f (/var/task/.build/functions/chunks/old-AAAAAAAA.mjs:1:1)`
    const said = execFileSync(process.execPath, ['infra/commands/where.ts'], {
      cwd: root,
      input: stack,
      encoding: 'utf8',
    })
    expect(said).toMatch(/^Error: x\n {4}at warmUp \(lib\/lambda\.ts:\d+:\d+\)\n/)
    expect(said).toContain('old-AAAAAAAA.mjs:1:1 [of another commit]')
    for (const [file] of files())
      expect(readFileSync(join(folder, `${file}.map`), 'utf8')).toContain('"mappings"')
  })
})
