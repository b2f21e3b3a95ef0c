import { cpSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { projectRoot } from '../../infra/project-root.ts'
import { temporaryFolder } from './temporary-folder.ts'

const parts = ['functions', 'infra', 'lib', 'package.json', 'serverless.yml']

/** A copy of the project whose files the test may edit. @returns its folder */
export function copyOfProject(): string {
  const folder = temporaryFolder()
  for (const part of parts) cpSync(join(projectRoot, part), join(folder, part), { recursive: true })
  symlinkSync(join(projectRoot, 'node_modules'), join(folder, 'node_modules'))
  return folder
}
