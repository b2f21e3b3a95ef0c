import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { expect, onTestFinished, test, vi } from 'vitest'
import { projectRoot } from '../../../infra/project-root.ts'
import { copyOfProject } from '../../support/copy-of-project.ts'
import { environmentOf, openFramework, preloads } from '../../../infra/serverless/framework.ts'

test('the framework runs in a folder of its own, so that several packages can be made at once', () => {
  const [folder, other] = [openFramework().folder, openFramework().folder]
  // Their process may be killed.
  onTestFinished(() => [folder, other].forEach(one => void rmSync(one, { recursive: true })))
  expect(folder).not.toBe(other)
  expect(dirname(folder)).toBe(join(projectRoot, '.build'))
  expect(readdirSync(folder)).toEqual(expect.arrayContaining(['infra', 'serverless.yml']))
})

test('a command that is interrupted while the framework runs ends with 130, and leaves no folder', async () => {
  const copy = copyOfProject()
  const build = join(copy, '.build')
  const folders = () =>
    (existsSync(build) ? readdirSync(build) : []).filter(name => name.startsWith('service-'))
  const command = spawn(process.execPath, ['infra/commands/package.ts', '--stage', 'example'], { cwd: copy })
  const [stderr, exit] = [text(command.stderr), once(command, 'exit')]
  await vi.waitFor(
    () => expect(folders().flatMap(name => readdirSync(join(build, name)))).toContain('.build'),
    {
      timeout: 20_000,
    },
  )
  command.kill('SIGINT')
  expect(await exit).toEqual([130, null])
  expect(await stderr).toBe('Interrupted: nothing was packaged or deployed.\n')
  expect(folders()).toEqual([])
})

test("the framework takes no credentials that the commands' own clients do not read", () => {
  const others = [
    'AWS_DEFAULT_PROFILE',
    'AWS_DEV_PROFILE',
    'AWS_DEV_ACCESS_KEY_ID',
    'AWS_DEV_SECRET_ACCESS_KEY',
  ]
  const own = { AWS_PROFILE: 'own', AWS_ACCESS_KEY_ID: 'own', AWS_SECRET_ACCESS_KEY: 'own' }
  const env = { ...process.env, ...own, ...Object.fromEntries(others.map(name => [name, 'another'])) }
  const provider = `{ getStage: () => 'dev', serverless: { service: { provider: {} } } }`
  const program = `require('serverless/lib/aws/credentials').getAwsSdkV3CredentialsProviderCacheKey({ provider: ${provider} })`
  const taken = (variables: NodeJS.ProcessEnv) =>
    String(execFileSync(process.execPath, ['--print', program], { cwd: projectRoot, env: variables }))
  expect(taken(env)).toContain('another')
  expect(taken(environmentOf(env))).toMatch(
    /^(?!.*another)(?=.*"awsProfile":"own").*"hasEnvironmentCredentials":true/,
  )
  expect(taken(environmentOf(env))).toContain('"hasStageEnvironmentCredentials":false')
})

test("the framework names a bucket in the path of an emulator's URL, and not for AWS", () => {
  onTestFinished(() => void vi.unstubAllEnvs())
  vi.stubEnv('AWS_ENDPOINT_URL', '')
  expect(preloads(false)).toEqual([])
  vi.stubEnv('AWS_ENDPOINT_URL', 'http://localhost:4566')
  const client = `require(require.resolve('@aws-sdk/client-s3', { paths: [require.resolve('serverless')] })).S3Client`
  const program = `new (${client})({ region: 'eu-central-1' }).config.forcePathStyle`
  const printed = execFileSync(process.execPath, [...preloads(false), '--print', program], {
    cwd: projectRoot,
  })
  expect(String(printed)).toBe('true\n')
})

test('the framework lets CloudFormation take over what exists, for the first deployment of a table only', () => {
  const sdk = `require(require.resolve('@aws-sdk/client-cloudformation', { paths: [require.resolve('serverless')] }))`
  const program = `JSON.stringify(new (${sdk}.CreateChangeSetCommand)({ StackName: 's' }).input)`
  const inputWith = (imports: boolean) =>
    JSON.parse(
      String(
        execFileSync(process.execPath, [...preloads(imports), '--print', program], { cwd: projectRoot }),
      ),
    )
  expect(inputWith(true)).toEqual({ StackName: 's', ImportExistingResources: true })
  expect(inputWith(false)).toEqual({ StackName: 's' })
})
