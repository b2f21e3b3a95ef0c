import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

const importStatement = /^\s*(?:import|export)\s(?:[^;"]*\sfrom\s)?"([^"]+)"/gm
/** esbuild writes the path of each source file before its code. */
const origin = /^\/\/ (\S+\.[cm]?[jt]s)$/m

/** What a cold start loads: a file of .build/functions and its static imports. */
export function loadedModules(entry: string) {
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
