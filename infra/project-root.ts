import { dirname, join } from 'node:path'

/** The folder of package.json, independent of the working directory. */
export const projectRoot = dirname(import.meta.dirname)

/** The folder in which the local stack keeps its data, its log and the issuer's key. */
export const localFolder = join(projectRoot, '.local')
