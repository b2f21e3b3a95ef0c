import { execFile, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { print } from '../../infra/command-line/output.ts'
import { onInterrupt } from '../../infra/command-line/signals.ts'
import { projectRoot } from '../../infra/project-root.ts'

const run = promisify(execFile)
const git = (...options: string[]) => run('git', options, { cwd: projectRoot })

/**
 * Checks a commit out into a temporary folder, with the packages of its own lock file, until this process ends.
 *
 * @param commit any name that Git knows
 * @returns its short name; the root of its sources; a folder for builds, which ends with it
 * @throws Error of one sentence when Git does not know it
 */
export async function checkOut(commit: string) {
  const named = ['rev-parse', '--short', '--verify', '--quiet', '--end-of-options', `${commit}^{commit}`]
  const { stdout } = await git(...named).catch(() => {
    throw new Error(`Git does not know the commit "${commit}" here.`)
  })
  const name = stdout.trim()
  const folder = mkdtempSync(join(tmpdir(), 'bench-'))
  const root = join(folder, 'checkout')
  onInterrupt(() => process.exit(130))
  process.on('exit', () => {
    spawnSync('git', ['worktree', 'remove', '--force', root], { cwd: projectRoot })
    rmSync(folder, { recursive: true, force: true })
  })
  await git('worktree', 'add', '--detach', root, name)
  await addPackages(root, name)
  return { name, root, builds: folder }
}

async function addPackages(root: string, name: string): Promise<void> {
  const lockOf = (folder: string) => readFileSync(join(folder, 'package-lock.json'), 'utf8')
  if (lockOf(root) === lockOf(projectRoot))
    return symlinkSync(join(projectRoot, 'node_modules'), join(root, 'node_modules'))
  print(`package-lock.json of ${name} differs: its own packages are being installed for it.`)
  await run('npm', ['ci', '--no-audit', '--no-fund'], { cwd: root })
}
