import { dirname, join } from 'node:path'

/** The folder of package.json, independent of the working directory. */
export const projectRoot = dirname(import.meta.dirname)

/** The folder of the local issuer's key, so that tokens stay valid between starts. */
export const localFolder = join(projectRoot, '.local')
