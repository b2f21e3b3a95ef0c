import { join } from 'node:path'
import { projectRoot } from '../project-root.ts'

/** What the local stack keeps between two starts. */
export const localFolder = join(projectRoot, '.local')
