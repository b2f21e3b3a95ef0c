import { cpSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { projectRoot } from '../../infra/project-root.ts'
import { temporaryFolder } from './temporary-folder.ts'

const parts = ['functions', 'infra', 'lib', 'package.json', 'serverless.yml']

/** Copies the project to a folder whose files the test may edit. @returns the folder */
export function copyOfProject(folder = temporaryFolder()): string {
  for (const part of parts) cpSync(join(projectRoot, part), join(folder, part), { recursive: true })
  symlinkSync(join(projectRoot, 'node_modules'), join(folder, 'node_modules'))
  return folder
}
