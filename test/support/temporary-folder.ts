import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'

/** Makes a folder that is removed at the end of the test. @returns its path */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'test-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  return folder
}

/** The path of a file with this text, alone in a temporary folder. */
export function temporaryFile(text: string | Buffer): string {
  const file = join(temporaryFolder(), 'file')
  writeFileSync(file, text)
  return file
}

/** The path of a named pipe, alone in a temporary folder. */
export function namedPipe(): string {
  const pipe = join(temporaryFolder(), 'pipe')
  execFileSync('mkfifo', [pipe])
  return pipe
}
