import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { projectRoot } from '../project-root.ts'

/**
 * What a folder deploys: the version of package.json and the Git commit, such as `1.1.0+4b841ff0c2d1`, with `-dirty` if a
 * file is another than in the commit. Without Git, or outside a repository, it is the version alone.
 *
 * @throws Error when Git cannot say the commit for another reason, such as a repository of another user
 */
export function versionOf(folder = projectRoot): string {
  const { version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  const git = (...words: string[]) =>
    execFileSync('git', ['--no-optional-locks', ...words], {
      cwd: folder,
      encoding: 'utf8',
      stdio: 'pipe',
      env: { ...process.env, LC_ALL: 'C' },
    })
  try {
    git('ls-files', '--error-unmatch', 'package.json') // the repository may be another one's, around this folder
    const commit = git('rev-parse', '--short=12', 'HEAD').trim()
    const isChanged = git('status', '--porcelain', '--', '.') !== ''
    return `${version}+${commit}${isChanged ? '-dirty' : ''}`
  } catch (error) {
    const { code, stderr = '' } = error as { code?: string; stderr?: string }
    if (code === 'ENOENT' || /not a git repository|did not match any file/.test(stderr)) return version
    throw new Error(`Git cannot say which commit this is (${stderr.split('\n', 1)})`)
  }
}
