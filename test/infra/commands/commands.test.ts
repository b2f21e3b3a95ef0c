import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { CommandUnknownOpts } from '@commander-js/extra-typings'
import { decodeJwt, decodeProtectedHeader } from 'jose'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { parse } from 'yaml'
import { command as data } from '../../../infra/commands/data.ts'
import { command as deployLocalStack } from '../../../infra/commands/deploy-localstack.ts'
import { command as sam } from '../../../infra/commands/sam.ts'
import { command as start } from '../../../infra/commands/start.ts'
import { command as token } from '../../../infra/commands/token.ts'
import { listen } from '../../../infra/listen.ts'
import { projectRoot } from '../../../infra/project-root.ts'
import { administratorId } from '../../../infra/sample-data/sample-data.ts'
import { copyOfProject } from '../../support/copy-of-project.ts'
import { refusalOf } from './refusal-of.ts'

const run = promisify(execFile)
const node = (...parameters: string[]) => run(process.execPath, parameters, { cwd: projectRoot })

/** What a command prints when it cannot be run as it was typed. */
const usageFault = (name: string) =>
  new RegExp(`^error: [^\n]*${name}[^\n]*\nRun it with --help for its options\\.\n$`)

describe('the token command', () => {
  test("prints an administrator's token and nothing else", async () => {
    const { stdout, stderr } = await node('infra/commands/token.ts')
    expect(stdout).toMatch(/^[\w-]+\.[\w-]+\.[\w-]+\n$/)
    expect(stderr).toBe('')
    expect(decodeProtectedHeader(stdout)).toMatchObject({ alg: 'RS256', typ: 'at+jwt' })
    const claims = decodeJwt(stdout)
    expect(claims).toMatchObject({
      iss: 'https://issuer.local.example',
      aud: 'identity-provider-administration',
      sub: administratorId,
      scope: 'saml-providers:read saml-providers:delete',
    })
    expect(Number(claims.exp) - Number(claims.iat)).toBe(3600)
  })

  test('sets the claims of its options', async () => {
    const sub = '00000000-0000-4000-8000-000000000000'
    const options = ['--sub', sub, '--scope', 'a b', '--expires-in', '60']
    const { stdout } = await node('infra/commands/token.ts', ...options)
    const { exp, iat, ...claims } = decodeJwt(stdout)
    expect(claims).toMatchObject({ sub, scope: 'a b' })
    expect(Number(exp) - Number(iat)).toBe(60)
  })
})

describe('a wrong option is named in a sentence', () => {
  test.each<[string, CommandUnknownOpts, string[], string]>([
    ['token', token, ['--sub', 'somebody'], '--sub'],
    ['token', token, ['--expires-in', '0'], '--expires-in'],
    ['token', token, ['--expires-in', '31536001'], '--expires-in'],
    ['token', token, ['stray'], 'stray'],
    ['start', start, ['--port', '65536'], "'65536'"],
    ['sam', sam, ['--port', '0'], "'--port <NUMBER>' argument '0'"],
    ['sam', sam, ['--table-port', '65536'], "'--table-port <NUMBER>' argument '65536'"],
    ['deploy:localstack', deployLocalStack, ['--region', 'x'], '--region'],
    ['data', data, ['nonsense'], "unknown command 'nonsense'"],
  ])('%s %j', async (_, command, given, name) => {
    expect(await refusalOf(command, ...given)).toMatch(usageFault(name))
  })

  test.each<[CommandUnknownOpts, Record<string, string>, RegExp]>([
    [start, { PORT: '65536' }, usageFault("'65536' from env 'PORT'")],
    [start, { DYNAMODB_ENDPOINT: 'localhost' }, /^DYNAMODB_ENDPOINT must be a URL [^\n]*\n$/],
    [deployLocalStack, { AWS_ENDPOINT_URL: 'localhost:4566' }, /^AWS_ENDPOINT_URL must be a URL [^\n]*\n$/],
  ])('%# a variable', async (command, variables, sentence) => {
    onTestFinished(() => void vi.unstubAllEnvs())
    for (const [name, value] of Object.entries(variables)) vi.stubEnv(name, value)
    expect(await refusalOf(command)).toMatch(sentence)
  })

  test('a command exits with 1 and prints the sentence on standard error, also for a port in use and a file in the way', async () => {
    const other = createServer()
    onTestFinished(() => void other.close())
    const port = await listen(other, 0)
    await expect(node('infra/commands/start.ts', '--port', String(port))).rejects.toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(new RegExp(`^Port ${port} is in use[^\n]*\n$`)),
    })
    const folder = copyOfProject()
    writeFileSync(join(folder, '.local'), '')
    await expect(run(process.execPath, ['infra/commands/token.ts'], { cwd: folder })).rejects.toMatchObject({
      code: 1,
      stderr: `${folder}/.local cannot be used: it is a file, and a folder is needed; rename the file.\n`,
    })
    await expect(node('infra/commands/token.ts', '--nonsense')).rejects.toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(usageFault('--nonsense')),
    })
  })
})

describe('a command', () => {
  test('prints its help on standard output, and exits with 0', async () => {
    const { stdout, stderr } = await node('infra/commands/token.ts', '--help')
    expect([stdout.split('\n', 1)[0], stderr]).toEqual(['Usage: npm run --silent token -- [options]', ''])
  })

  test.each([
    ['stdout', 'stderr'],
    ['stderr', 'stdout'],
  ] as const)(
    'ends without a message when %s is closed, with the exit code of SIGPIPE',
    async (closed, other) => {
      const program = `await import('./infra/command-line/output.ts'); setInterval(() => process.${closed}.write('line\\n'), 1)`
      const child = execFile(process.execPath, ['--input-type=module', '-e', program], { cwd: projectRoot })
      let message = ''
      child[other]?.on('data', text => {
        message += text
      })
      child[closed]?.once('data', () => child[closed]?.destroy())
      const [code] = await once(child, 'exit')
      expect([code, message]).toEqual([141, ''])
    },
  )
})

test('the workflow of the engines runs every file of test/engines', () => {
  const workflow = parse(readFileSync(join(projectRoot, '.github/workflows/engines.yml'), 'utf8'))
  const engines = workflow.jobs.test.strategy.matrix.include.map((one: { engine: string }) => one.engine)
  const tests = readdirSync(join(projectRoot, 'test/engines')).filter(name => name.endsWith('.test.ts'))
  expect(engines.map((engine: string) => `${engine}.test.ts`).sort()).toEqual(tests.sort())
})

describe('the check of the Node version', () => {
  const check = (version: string, file: string) =>
    node(
      '-e',
      `Object.defineProperty(process.versions, 'node', { value: '${version}' }); require('./infra/${file}')`,
    )

  test.each([
    'check-node.cjs',
    'serverless/plugin.cjs', // which the framework loads
  ])('in %s refuses an old version in one sentence with the remedy', async file => {
    await expect(check('23.11.0', file)).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^Node 24 [^\n]*23\.11\.0[^\n]*npm ci[^\n]*--omit=optional[^\n]*\n$/),
    })
  })

  test('accepts the minimum version', async () => {
    await expect(check('24.0.0', 'check-node.cjs')).resolves.toMatchObject({ stdout: '', stderr: '' })
  })
})
