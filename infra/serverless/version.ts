import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { projectRoot } from '../project-root.ts'

/**
 * What a folder deploys: the version of package.json and the Git commit, such as `1.1.0+4b841ff0c2d1`, with `-dirty` if a
 * file is another than in the commit. Without Git, or outside a repository, it is the version alone.
 */
export function versionOf(folder = projectRoot): string {
  const { version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  const git = (...words: string[]) =>
    execFileSync('git', ['--no-optional-locks', ...words], { cwd: folder, encoding: 'utf8', stdio: 'pipe' })
  try {
    git('ls-files', '--error-unmatch', 'package.json') // the repository may be another one's, around this folder
    const commit = git('rev-parse', '--short=12', 'HEAD').trim()
    const isChanged = git('status', '--porcelain', '--', '.') !== ''
    return `${version}+${commit}${isChanged ? '-dirty' : ''}`
  } catch {
    return version
  }
}
