import { readFileSync } from 'node:fs'
import { SourceMap } from 'node:module'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { buildFunctions } from '../build.ts'
import { projectRoot } from '../project-root.ts'

// npm run --silent where < stack.txt: a stack of the log, with the places in the sources. The source maps stay out of
// the package; but a build is reproducible, and a chunk's name tells whether it is of this commit.

await buildFunctions()
const stack = await text(process.stdin)
process.stdout.write(
  stack
    .replaceAll('\\n', '\n')
    .replaceAll(
      /[^\s(]*\.build\/functions\/([\w./-]+\.mjs):(\d+):(\d+)/g,
      (place, file, line, column) =>
        sourceOf(file, Number(line), Number(column)) ?? `${place} [not of this commit]`,
    ),
)

function sourceOf(file: string, line: number, column: number): string | undefined {
  const map = mapOf(file)
  if (map === undefined) return undefined
  const found = map.findOrigin(line, column)
  if (!('fileName' in found)) return undefined
  const path = join('.build/functions', file, '..', found.fileName)
  return `${path}:${found.lineNumber}:${found.columnNumber}`
}

function mapOf(file: string): SourceMap | undefined {
  try {
    return new SourceMap(
      JSON.parse(readFileSync(join(projectRoot, '.build/functions', `${file}.map`), 'utf8')),
    )
  } catch {
    return undefined
  }
}
