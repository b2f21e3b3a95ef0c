import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { decodeJwt, decodeProtectedHeader } from 'jose'
import { describe, expect, test } from 'vitest'
import { administratorId } from '../../../infra/sample-data/sample-data.ts'

const run = promisify(execFile)
const root = join(import.meta.dirname, '..', '..', '..')
const node = (parameters: string[], env: Record<string, string> = {}) =>
  run(process.execPath, parameters, { cwd: root, env: { ...process.env, ...env } })
const token = (...options: string[]) => node(['infra/commands/token.ts', ...options])

/** What a command prints when it cannot be run as it was typed. */
const usageFault = (name: string) =>
  new RegExp(`^error: [^\n]*${name}[^\n]*\nRun it with --help for its options\\.\n$`)

describe('the token command', () => {
  test("prints an administrator's token and nothing else", async () => {
    const { stdout, stderr } = await token()
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
    const { stdout } = await token('--sub', sub, '--scope', 'a b', '--expires-in', '60')
    const { exp, iat, ...claims } = decodeJwt(stdout)
    expect(claims).toMatchObject({ sub, scope: 'a b' })
    expect(Number(exp) - Number(iat)).toBe(60)
  })

  test.each([
    [['--sub', 'somebody'], '--sub'],
    [['--expires-in', '0'], '--expires-in'],
    [['--expires-in', '1.5'], '--expires-in'],
    [['--expires-in', '31536001'], '--expires-in'],
    [['--nonsense'], '--nonsense'],
    [['stray'], 'stray'],
  ])('refuses %j in a sentence that names the option', async (options, name) => {
    await expect(token(...options)).rejects.toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(usageFault(name)),
    })
  })
})

describe('the start command refuses in one sentence', () => {
  const start = (env: Record<string, string>, ...options: string[]) =>
    node(['infra/commands/start.ts', ...options], env)

  test('a port that is in use', async () => {
    const other = createServer()
    await new Promise<void>(resolve => other.listen(0, '127.0.0.1', resolve))
    const { port } = other.address() as AddressInfo
    await expect(start({ PORT: String(port) })).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringMatching(new RegExp(`^Port ${port} is in use[^\n]*\n$`)),
    })
    other.close()
  })

  test.each([
    [{ PORT: 'http' }, usageFault("'http' from env 'PORT'")],
    [{ PORT: '65536' }, usageFault("'65536' from env 'PORT'")],
    [{ DYNAMODB_ENDPOINT: 'localhost' }, /^DYNAMODB_ENDPOINT [^\n]*\n$/],
  ])('%j', async (env, sentence) => {
    await expect(start(env)).rejects.toMatchObject({ code: 1, stderr: expect.stringMatching(sentence) })
  })

  test('an unknown option', async () => {
    await expect(start({ PORT: '0' }, '--nonsense')).rejects.toMatchObject({ code: 1, stdout: '' })
  })
})

describe('a command', () => {
  const scripts = Object.entries(JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).scripts)
  const programs = scripts.flatMap(([script, line]) => {
    const [, program] = /infra\/check-node\.cjs ((?:infra|test)\/\S+\.ts)$/.exec(String(line)) ?? []
    return program === undefined ? [] : [[script, program] as const]
  })

  test('has a file for each npm script of the project', () => {
    const files = readdirSync(join(root, 'infra/commands')).map(file => `infra/commands/${file}`)
    expect(programs.map(([, program]) => program)).toEqual(expect.arrayContaining(files))
  })

  test.each(programs)('npm run %s prints purpose, usage and options with --help', async (script, program) => {
    const { stdout, stderr } = await node([program, '--help'])
    expect(stdout).toMatch(/^Usage: npm (run )?[^\n]+\n\n[A-Z][^.:]+[.:]/)
    expect(stdout).toContain(`npm ${script === 'start' ? 'start' : 'run'}`)
    expect(stdout).toMatch(/--help/)
    expect(stderr).toBe('')
  })

  test.each(programs.filter(([script]) => script !== 'data'))(
    'npm run %s names an unknown option, or a required one',
    async (_, program) => {
      await expect(node([program, '--nonsense'])).rejects.toMatchObject({
        code: 1,
        stdout: '',
        stderr: expect.stringMatching(usageFault("(unknown option '--nonsense'|required option)")),
      })
    },
  )

  test('with subcommands names an unknown one, and lists all when none is named', async () => {
    const data = (...options: string[]) => node(['infra/commands/data.ts', ...options])
    await expect(data('nonsense')).rejects.toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(usageFault("unknown command 'nonsense'")),
    })
    await expect(data()).rejects.toMatchObject({ code: 1, stderr: expect.stringMatching(/\n {2}affected /) })
    const { stdout } = await data('affected', '--help')
    expect(stdout).toMatch(/--provider <ID> +The id of the SAML provider\./)
  })

  test('ends without a message when its output pipe is closed, with the exit code of SIGPIPE', async () => {
    const program = `await import('./infra/command-line/output.ts'); setInterval(() => process.stdout.write('line\\n'), 1)`
    const child = execFile(process.execPath, ['--input-type=module', '-e', program], { cwd: root })
    let stderr = ''
    child.stderr?.on('data', text => {
      stderr += text
    })
    child.stdout?.once('data', () => child.stdout?.destroy())
    const [code] = await once(child, 'exit')
    expect([code, stderr]).toEqual([141, ''])
  })
})

describe('the check of the Node version', () => {
  const check = (version: string) =>
    node([
      '-e',
      `Object.defineProperty(process.versions, 'node', { value: '${version}' }); require('./infra/check-node.cjs')`,
    ])

  test('refuses an old version in one sentence with the remedy', async () => {
    await expect(check('23.11.0')).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^Node 24 [^\n]*23\.11\.0[^\n]*npm ci[^\n]*--omit=optional[^\n]*\n$/),
    })
  })

  test('accepts the minimum version', async () => {
    await expect(check('24.0.0')).resolves.toMatchObject({ stdout: '', stderr: '' })
  })
})
