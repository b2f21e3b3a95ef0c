import { mkdir, readdir, rm, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { build } from 'esbuild'
import { projectRoot } from './project-root.ts'

/**
 * Bundles every file of functions/ into a folder, which has nothing else then.
 *
 * Splitting keeps modules that are imported on demand, such as the SDK's credential providers, out of a cold start.
 * Minifying would save 2 % of a cold start, but make stack traces unreadable.
 *
 * @param root the folder that contains functions/
 * @returns the names of the entries, without extension
 * @throws Error that names every fault with file and line; nothing is written then
 */
export async function buildFunctions(
  root = projectRoot,
  buildFolder = join(root, '.build', 'functions'),
): Promise<string[]> {
  const sourceFolder = join(root, 'functions')
  const entries = (await readdir(sourceFolder)).filter(name => name.endsWith('.ts'))
  const { outputFiles } = await build({
    entryPoints: entries.map(name => join(sourceFolder, name)),
    outdir: buildFolder,
    outExtension: { '.js': '.mjs' },
    chunkNames: 'chunks/[name]-[hash]',
    absWorkingDir: root,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node24',
    mainFields: ['module', 'main'],
    sourcemap: 'linked', // debuggers find the sources by it
    sourcesContent: false,
    legalComments: 'none',
    write: false,
    logLevel: 'silent', // the thrown error contains it all
  })
  await rm(buildFolder, { recursive: true, force: true })
  for (const { path, contents } of outputFiles) {
    await mkdir(dirname(path), { recursive: true })
    await writeFile(path, contents)
  }
  return entries.map(name => basename(name, '.ts'))
}
