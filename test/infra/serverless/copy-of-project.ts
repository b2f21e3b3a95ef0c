import { cpSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { root } from './packaged.ts'

/** A copy of the project for the running test, in which a command builds and packages. @returns its folder */
export function copyOfProject(): string {
  const copy = mkdtempSync(join(tmpdir(), 'project-'))
  onTestFinished(() => rmSync(copy, { recursive: true }))
  cpSync(join(root, 'infra'), join(copy, 'infra'), { recursive: true })
  cpSync(join(root, 'serverless.yml'), join(copy, 'serverless.yml'))
  for (const name of ['lib', 'functions', 'node_modules', 'package.json'])
    symlinkSync(join(root, name), join(copy, name))
  return copy
}
