import { readFileSync } from 'node:fs'
import { SourceMap } from 'node:module'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { buildFunctions } from '../build.ts'
import { defineCommand, runCommand } from '../command-line/command.ts'
import { projectRoot } from '../project-root.ts'

const positions = /[^\s(]*\.build\/functions\/([\w./-]+\.mjs):(\d+):(\d+)/g

export const command = defineCommand('npm run --silent map-trace --', {
  purpose:
    'Reads a stack trace of the log from standard input and prints it with the positions in the sources.',
  example: 'npm run --silent map-trace < stack.txt',
}).action(async () => {
  // The package has no source maps. A build is reproducible, and a chunk's name contains its hash.
  await buildFunctions()
  if (process.stdin.isTTY) process.stderr.write('Paste the stack trace, then press Ctrl-D.\n')
  const lines = (await text(process.stdin)).replaceAll('\\n', '\n')
  process.stdout.write(
    lines.replaceAll(
      positions,
      (place, file, line, column) =>
        sourceOf(file, Number(line), Number(column)) ?? `${place} [of another commit]`,
    ),
  )
})

await runCommand(import.meta.filename, command)

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
