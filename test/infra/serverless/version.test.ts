import { execFileSync, spawnSync } from 'node:child_process'
import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { versionOf } from '../../../infra/serverless/version.ts'
import { copyOfProject, temporaryFolder, writePackage } from '../../support/machine.ts'
import { issuers, type Properties } from './packaged.ts'

const version = '1.2.3'
const folderWithPackage = () => {
  const folder = temporaryFolder()
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ version }))
  return folder
}

/** Makes a repository of a folder, and stages all files. @returns what calls Git there */
function repositoryIn(folder: string) {
  const git = (...words: string[]) => execFileSync('git', words, { cwd: folder, encoding: 'utf8' })
  git('init', '--quiet')
  writeFileSync(join(folder, '.gitignore'), '.build/\n.serverless/\nnode_modules\nignored\n')
  git('add', '--all')
  return git
}

/** Commits all files of a folder in a repository of its own. @returns the commit's name, as the version has it */
function commit(folder: string): string {
  const git = repositoryIn(folder)
  const somebody = ['-c', 'user.name=somebody', '-c', 'user.email=', '-c', 'commit.gpgSign=false']
  git(...somebody, 'commit', '--quiet', '--no-verify', '--message', 'all')
  return git('rev-parse', 'HEAD').slice(0, 12)
}

test('a version outside a repository is that of package.json', () => {
  expect(versionOf(folderWithPackage())).toBe(version)
})

test('a version without Git is that of package.json', () => {
  onTestFinished(() => void vi.unstubAllEnvs())
  vi.stubEnv('PATH', '')
  expect(versionOf(folderWithPackage())).toBe(version)
})

describe.skipIf(spawnSync('git', ['--version']).status !== 0)('in a Git repository', () => {
  test('a version says whether a file is another than in the commit', () => {
    const folder = folderWithPackage()
    const name = `${version}+${commit(folder)}`
    expect(versionOf(folder)).toBe(name)
    writeFileSync(join(folder, 'ignored'), 'any')
    expect(versionOf(folder)).toBe(name)
    writeFileSync(join(folder, 'new'), 'any')
    expect(versionOf(folder)).toBe(`${name}-dirty`)
  })

  test('around the folder, which is another one, a version is that of package.json', () => {
    const around = folderWithPackage()
    commit(around)
    const folder = join(around, 'ignored')
    cpSync(join(around, 'package.json'), join(folder, 'package.json'))
    expect(versionOf(folder)).toBe(version)
  })

  test('whose commit cannot be read, a version is refused', () => {
    const folder = folderWithPackage()
    repositoryIn(folder)
    expect(() => versionOf(folder)).toThrow(/^Git cannot say which commit this is \(fatal: [^\n]+\)$/)
  })

  test('a commit that is packaged twice gives the same package', async () => {
    const folder = copyOfProject()
    const name = commit(folder)
    const packageOnce = async () => {
      await writePackage(folder, [
        ['stage', 'dev'],
        ['param', `issuers=${issuers}`],
      ])
      const read = (file: string) => readFileSync(join(folder, '.serverless', file))
      const template = String(read('cloudformation-template-update-stack.json'))
      return {
        template: template.replaceAll(/\d{13}-[^/]+(?=\/)/g, 'TIME'), // the folder in the bucket
        code: read('deprecated-saml-endpoints.zip').toString('hex'),
      }
    }
    const first = await packageOnce()
    const { Outputs, Resources } = JSON.parse(first.template)
    const deployed = `${JSON.parse(readFileSync('package.json', 'utf8')).version}+${name}`
    expect(Outputs.Version.Value).toBe(deployed)
    const functions = Object.values<Properties>(Resources).filter(
      ({ Type }) => Type === 'AWS::Lambda::Function',
    )
    expect(functions.length).toBeGreaterThan(1)
    for (const { Properties } of functions) expect(Properties.Environment.Variables.VERSION).toBe(deployed)
    expect(await packageOnce()).toEqual(first)
  })
})
