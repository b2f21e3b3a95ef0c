import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { cpSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { CommandUnknownOpts } from '@commander-js/extra-typings'
import { decodeJwt, decodeProtectedHeader } from 'jose'
import { expect, onTestFinished, test, vi } from 'vitest'
import { command as data } from '../../../infra/commands/data.ts'
import { command as deployLocalStack } from '../../../infra/commands/deploy-localstack.ts'
import { command as sam } from '../../../infra/commands/sam.ts'
import { command as start } from '../../../infra/commands/start.ts'
import { command as token } from '../../../infra/commands/token.ts'
import { explainPort, listen } from '../../../infra/listen.ts'
import { projectRoot } from '../../../infra/project-root.ts'
import { administratorId } from '../../../infra/sample-data/sample-data.ts'
import { command as bench } from '../../bench/main.ts'
import { freePort, serverOf, temporaryFile, temporaryFolder } from '../../support/machine.ts'
import { refusalOf } from './refusal-of.ts'

const run = promisify(execFile)
const node = (...parameters: string[]) => run(process.execPath, parameters, { cwd: projectRoot })

test("the token command prints an administrator's token and nothing else", async () => {
  const printed = await refusalOf(token)
  expect(printed).toMatch(/^[\w-]+\.[\w-]+\.[\w-]+\n$/)
  expect(decodeProtectedHeader(printed)).toMatchObject({ alg: 'RS256', typ: 'at+jwt' })
  const claims = decodeJwt(printed)
  expect(claims).toMatchObject({
    iss: 'https://issuer.local.example',
    aud: 'identity-provider-administration',
    sub: administratorId,
    scope: 'saml-providers:read saml-providers:delete',
  })
  expect(Number(claims.exp) - Number(claims.iat)).toBe(3600)
  const sub = '00000000-0000-4000-8000-000000000000'
  const other = decodeJwt(await refusalOf(token, '--sub', sub, '--scope', 'a b', '--expires-in', '60'))
  expect(other).toMatchObject({ sub, scope: 'a b', exp: Number(other.iat) + 60 })
})

test.each<[string, CommandUnknownOpts, string[]]>([
  ['--sub', token, ['--sub', 'somebody']],
  ['--expires-in', token, ['--expires-in', '31536001']],
  ['stray', token, ['stray']],
  ["'--param <NAME=VALUE>' argument 'retire=true'", start, ['--param', 'retire=true']],
  ["'--param <NAME=VALUE>' argument 'retired'", start, ['--param', 'retired']],
  ["'--table-port <NUMBER>' argument '0'", sam, ['--table-port', '0']],
  ["required option '--table <NAME>'", data, ['export']],
  ['a folder with a checkout of this project', bench, ['--against', import.meta.dirname]],
])('a command names in one sentence a wrong option: %s', async (name, command, given) => {
  const printed = await refusalOf(command, ...given)
  expect(printed).toMatch(/^error: [^\n]+\nAdd --help for the options\.\n$/)
  expect(printed).toContain(name)
})

test('the bench asks for the packages of the other checkout', async () => {
  const folder = temporaryFolder()
  cpSync(join(projectRoot, 'functions'), join(folder, 'functions'), { recursive: true })
  expect(await refusalOf(bench, '--against', folder)).toMatch(/^error: [^\n]+ run `npm ci` there\.\n/)
})

test('npm start names in one sentence a wrong PORT', async () => {
  onTestFinished(() => void vi.unstubAllEnvs())
  vi.stubEnv('PORT', '65536')
  expect(await refusalOf(start)).toContain("'65536' from env 'PORT'")
})

test('npm start names in one sentence a port that is in use', async () => {
  const other = createServer()
  onTestFinished(() => void other.close())
  const port = await listen(other, 0)
  await expect(node('infra/commands/start.ts', '--port', String(port))).rejects.toMatchObject({
    code: 1,
    stdout: '',
    stderr: expect.stringMatching(new RegExp(`^Port ${port} is in use[^\n]*\n$`)),
  })
})

test('a port is explained on a machine without the address 127.0.0.1', async () => {
  const other = listen(createServer(), 0, '192.0.2.1') // RFC 5737: nobody's
  await expect(other.catch(explainPort(3000, 'PORT=NUMBER'))).rejects.toThrow(/no address 127\.0\.0\.1/)
})

test('a command names in one sentence packages that are not installed', async () => {
  const program = temporaryFile("import 'nobodys-package'")
  await expect(node('infra/check-node.cjs', program)).rejects.toMatchObject({
    code: 1,
    stdout: '',
    stderr: expect.stringMatching(/^Cannot find package[^\n]*npm ci --include=dev[^\n]*\n$/),
  })
})

test('deploy:localstack names in one sentence an emulator that is not there', async () => {
  const port = await freePort()
  onTestFinished(() => void vi.unstubAllEnvs())
  vi.stubEnv('AWS_ENDPOINT_URL', `http://localhost:${port}/`)
  expect(await refusalOf(deployLocalStack)).toBe(
    `No emulator answers at http://127.0.0.1:${port}: start LocalStack or MiniStack, or set AWS_ENDPOINT_URL to its URL.\n`,
  )
})

test('deploy:localstack passes its parameters on to the framework', async () => {
  const endpoint = await serverOf((_, response) => void response.end('{}'))
  const options = ['--param', 'throttleRate=0', '--param', 'retentionDays=0']
  onTestFinished(() => void vi.unstubAllEnvs())
  vi.stubEnv('AWS_ENDPOINT_URL', endpoint)
  await expect(node('infra/commands/deploy-localstack.ts', ...options)).rejects.toMatchObject({
    code: 1,
    stdout: expect.stringContaining(': throttleRate must be at least 1; retentionDays must be at least 1.\n'),
  })
})

// serverless/plugin.cjs is what the framework loads.
test.each(['check-node.cjs', 'serverless/plugin.cjs'])(
  'a command names in one sentence an old Node: %s',
  async file => {
    const pretend = "Object.defineProperty(process.versions, 'node', { value: '23.11.0' })"
    const remedy =
      /^Node 24 [^\n]*23\.11\.0[^\n]*npm ci[^\n]*--omit=optional[^\n]*run `npm ci` again[^\n]*`node infra\/link-node\.cjs`[^\n]*\n$/
    const refused = { code: 1, stderr: expect.stringMatching(remedy) }
    await expect(node('-e', `${pretend}; require('./infra/${file}')`)).rejects.toMatchObject(refused)
  },
)

test('a command ends with the exit code of SIGPIPE when its output is closed', async () => {
  const program = `await import('./infra/command-line/output.ts'); setInterval(() => process.stdout.write('line\\n'), 1)`
  const child = execFile(process.execPath, ['--input-type=module', '-e', program], { cwd: projectRoot })
  let message = ''
  child.stderr?.on('data', text => {
    message += text
  })
  child.stdout?.once('data', () => child.stdout?.destroy())
  const [code] = await once(child, 'exit')
  expect([code, message]).toEqual([141, ''])
})
