import { spawnSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, test } from 'vitest'
import { acquireLock } from '../../../infra/local/lock.ts'
import { projectRoot } from '../../../infra/project-root.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

/** Acquires the lock in another process, which is then killed. @returns its output on stderr */
function acquireAndCrash(path: string): string {
  const module = JSON.stringify(pathToFileURL(join(projectRoot, 'infra/local/lock.ts')))
  const script = `import { acquireLock } from ${module}
acquireLock(${JSON.stringify(path)})
process.kill(process.pid, 'SIGKILL')`
  const { signal, stderr } = spawnSync(process.execPath, ['--input-type=module', '--eval', script])
  return signal === 'SIGKILL' ? '' : String(stderr)
}

test('a lock has one holder, in this process and in others, until it is released', () => {
  const path = temporaryFolder()
  const release = acquireLock(path)
  const sentence = `The data in ${path} is in use by another process: stop that process first.`
  expect(() => acquireLock(path)).toThrow(sentence)
  expect(acquireAndCrash(path)).toContain(sentence)
  expect(readdirSync(path)).toEqual(['in-use'])
  release()
  acquireLock(path)()
})

test('the lock of a crashed process does not count', () => {
  const path = temporaryFolder()
  expect(acquireAndCrash(path)).toBe('')
  const release = acquireLock(path)
  expect(acquireAndCrash(path)).toContain('in use')
  release()
})
