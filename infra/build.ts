import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { basename, dirname, join, relative } from 'node:path'
import { build, type OutputFile } from 'esbuild'
import { projectRoot } from './project-root.ts'

/**
 * Bundles every file of functions/ into a folder.
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
  const result = await build({
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
  await writeAll(result.outputFiles)
  await removeOthers(buildFolder, result.outputFiles)
  return entries.map(name => basename(name, '.ts'))
}

/** Writes whole files, and only those that changed: a running local stack may be reading the folder. */
async function writeAll(files: OutputFile[]): Promise<void> {
  for (const { path, contents } of files) {
    const present = await readFile(path).catch(() => undefined)
    if (present?.equals(contents)) continue
    await mkdir(dirname(path), { recursive: true })
    const draft = `${path}.${process.pid}.draft`
    try {
      await writeFile(draft, contents)
      await rename(draft, path)
    } finally {
      await rm(draft, { force: true })
    }
  }
}

async function removeOthers(buildFolder: string, files: OutputFile[]): Promise<void> {
  const wanted = new Set(files.map(({ path }) => relative(buildFolder, path)))
  for (const entry of await readdir(buildFolder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name)
    if (entry.isFile() && !entry.name.endsWith('.draft') && !wanted.has(relative(buildFolder, path)))
      await rm(path, { force: true })
  }
}
