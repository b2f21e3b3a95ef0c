import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import type { CommandUnknownOpts } from '@commander-js/extra-typings'
import { decodeJwt, decodeProtectedHeader } from 'jose'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { refuseIfKeptByNpm } from '../../../infra/command-line/kept-by-npm.ts'
import { sentenceOf } from '../../../infra/command-line/sentence-of.ts'
import { command as data } from '../../../infra/commands/data.ts'
import { command as deployLocalStack } from '../../../infra/commands/deploy-localstack.ts'
import { command as sam } from '../../../infra/commands/sam.ts'
import { command as start } from '../../../infra/commands/start.ts'
import { command as token } from '../../../infra/commands/token.ts'
import { explainPort, listen } from '../../../infra/listen.ts'
import { openIssuer } from '../../../infra/local/issuer.ts'
import { checkLocalStack } from '../../../infra/localstack/deploy.ts'
import { projectRoot } from '../../../infra/project-root.ts'
import { administratorId } from '../../../infra/sample-data/sample-data.ts'
import { freePort, serverOf, temporaryFile } from '../../support/machine.ts'
import { refusalOf } from './refusal-of.ts'

const run = promisify(execFile)
const node = (...parameters: string[]) => run(process.execPath, parameters, { cwd: projectRoot })

/** What a command prints when it cannot be run as it was typed: the line that it shows works. */
const usageFault = (name: string, line: string) =>
  new RegExp(`^error: [^\n]*${name}[^\n]*\nRun \`${line} --help\` for its options\\.\n$`)

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
})

test('the token command prints a token with the claims of its options', async () => {
  const sub = '00000000-0000-4000-8000-000000000000'
  const other = decodeJwt(await refusalOf(token, '--sub', sub, '--scope', 'a b', '--expires-in', '60'))
  expect(other).toMatchObject({ sub, scope: 'a b', exp: Number(other.iat) + 60 })
})

describe('a sentence names', () => {
  test.each<[option: string, CommandUnknownOpts, string[]]>([
    ['--sub', token, ['--sub', 'somebody']],
    ['--expires-in', token, ['--expires-in', '0']],
    ['--expires-in', token, ['--expires-in', '31536001']],
    ['stray', token, ['stray']],
    ["'--table-port <NUMBER>' argument '0'", sam, ['--table-port', '0']],
    ["unknown option '--tabel'; required option '--table <NAME>'", data, ['verify', '--tabel', 'a']],
    ["unknown option '-t'; required option", data, ['verify', '-t', 'a']],
    ["error: required option '--table <NAME>'", data, ['export']],
  ])('a wrong option: %s', async (name, command, given) => {
    const line = [command.name(), ...(command === data ? given.slice(0, 1) : [])].join(' ')
    expect(await refusalOf(command, ...given)).toMatch(usageFault(name.replace(/^error: /, ''), line))
  })

  test('the line that works for options that npm has kept', async () => {
    const kept = (command: CommandUnknownOpts, words: string, env: Record<string, string>) => {
      const named = Object.entries(env).map(([name, value]) => [`npm_config_${name}`, value])
      return () => refuseIfKeptByNpm(command, words.split(' '), Object.fromEntries(named))
    }
    const line = (text: string) => `Write them behind it: \`${text}\`.`
    expect(kept(start, '', { keep: 'true' })).toThrow(line('npm start -- --keep'))
    const ofImport = line('npm run --silent data -- import --table NAME --dry-run')
    expect(kept(data, 'accounts import a', { table: 'true', dry_run: 'true' })).toThrow(ofImport)
    expect(kept(token, '', { scope: '@acme', cache: '/home/a/.npm' })).not.toThrow()
    expect(kept(start, '--keep', { keep: 'true', empty: '' })).not.toThrow()
    const env = { ...process.env, npm_config_expires_in: 'true' }
    const asked = run(process.execPath, ['infra/commands/token.ts'], { cwd: projectRoot, env })
    const stderr = expect.stringContaining('`npm run --silent token -- --expires-in SECONDS`')
    await expect(asked).rejects.toMatchObject({ code: 1, stdout: '', stderr })
  })

  test('a wrong PORT', async () => {
    onTestFinished(() => void vi.unstubAllEnvs())
    vi.stubEnv('PORT', '65536')
    expect(await refusalOf(start)).toMatch(usageFault("'65536' from env 'PORT'", 'npm start --'))
  })

  test('a port in use', async () => {
    const other = createServer()
    onTestFinished(() => void other.close())
    const port = await listen(other, 0)
    await expect(node('infra/commands/start.ts', '--port', String(port))).rejects.toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(new RegExp(`^Port ${port} is in use[^\n]*\n$`)),
    })
  })

  test('a machine without the address 127.0.0.1', async () => {
    const other = listen(createServer(), 0, '192.0.2.1') // RFC 5737: nobody's
    await expect(other.catch(explainPort(3000, 'PORT=NUMBER'))).rejects.toThrow(/no address 127\.0\.0\.1/)
  })

  test('packages that are not installed', async () => {
    const program = temporaryFile("import 'nobodys-package'")
    await expect(node('infra/check-node.cjs', program)).rejects.toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(/^Cannot find package[^\n]*npm ci --include=dev[^\n]*\n$/),
    })
  })

  test('a file in the way of a folder', async () => {
    const file = temporaryFile('')
    expect(await openIssuer(file).then(() => '', sentenceOf)).toBe(
      `${file} cannot be used: it is a file, and a folder is needed; rename the file.`,
    )
  })

  test('a LocalStack that is not there', async () => {
    const port = await freePort()
    onTestFinished(() => void vi.unstubAllEnvs())
    vi.stubEnv('AWS_ENDPOINT_URL', `http://localhost:${port}/`)
    const sentence = (url: string) =>
      `LocalStack does not answer at ${url}: start it, or set AWS_ENDPOINT_URL to its URL.`
    expect(await refusalOf(deployLocalStack)).toBe(`${sentence(`http://127.0.0.1:${port}`)}\n`)
    const other = await serverOf((_, response) => response.writeHead(404).end())
    await expect(checkLocalStack(other)).rejects.toThrow(sentence(other))
  })
})

describe('a command', () => {
  test.each(['deploy-localstack', 'sam'])('is a program of its own: %s', async name => {
    const { stdout, stderr } = await node(`infra/commands/${name}.ts`, '--help')
    expect([stdout.split('\n', 1)[0], stderr]).toEqual([expect.stringMatching(/^Usage: npm run /), ''])
  })

  test('ends with the exit code of SIGPIPE when its output is closed', async () => {
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

  test("under npm stops when a signal ends npm's shell", async () => {
    const program = `
      import { onInterrupt } from './infra/command-line/signals.ts'
      onInterrupt(() => {
        console.log('stopped')
        process.exit()
      })
      setTimeout(() => {}, 30_000) // ends it when nothing else does
      console.log('running')
    `
    const shell = spawn('sh', ['-c', '"$0" --input-type=module -e "$1"; exit', process.execPath, program], {
      cwd: projectRoot,
      env: { npm_lifecycle_event: 'start' },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const lines: string[] = []
    for await (const line of createInterface(shell.stdout)) {
      lines.push(line)
      shell.kill('SIGTERM') // as npm passes it on
    }
    expect(lines).toEqual(['running', 'stopped'])
  })

  // serverless/plugin.cjs is what the framework loads.
  test.each(['check-node.cjs', 'serverless/plugin.cjs'])(
    'refuses an old Node in one sentence: %s',
    async file => {
      const pretend = "Object.defineProperty(process.versions, 'node', { value: '23.11.0' })"
      const remedy =
        /^Node 24 [^\n]*23\.11\.0[^\n]*npm ci[^\n]*--omit=optional[^\n]*--ignore-scripts[^\n]*\n$/
      const refused = { code: 1, stderr: expect.stringMatching(remedy) }
      await expect(node('-e', `${pretend}; require('./infra/${file}')`)).rejects.toMatchObject(refused)
    },
  )
})
